{{/* The labels by which a part is selected: {root, name}. */}}
{{- define "memory-patrol.selector" -}}
app.kubernetes.io/name: memory-patrol
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{/* All labels of a part: {root, name}. */}}
{{- define "memory-patrol.labels" -}}
{{ include "memory-patrol.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{/* The role of a part by its name: a command of `patrol`. */}}
{{- define "memory-patrol.role" -}}
{{- has . (list "api" "stream" "beat" "flower" "migrate") | ternary . "worker" }}
{{- end }}

{{/* The names of the secrets that a part mounts: {root, name}. cli/operations/environments.py has the same roles. */}}
{{- define "memory-patrol.secrets" -}}
{{- $role := include "memory-patrol.role" .name }}
{{- if ne $role "migrate" }}
- redis_url
{{- end }}
{{- if not (has $role (list "beat" "flower")) }}
- database_url
{{- end }}
{{- /* The tables' owner: it migrates, and builds the indexes of very large Beings. */}}
{{- if has .name (list "migrate" "upkeep") }}
- patrol_direct_url
{{- end }}
{{- if eq $role "flower" }}
- patrol_flower_basic_auth
{{- end }}
{{- if has $role (list "api" "stream" "worker") }}
- patrol_secret_key
{{- end }}
{{- if eq (include "memory-patrol.asks" .name) "models" }}
- openai_api_key
{{- if eq $role "worker" }}
- anthropic_api_key
{{- end }}
{{- end }}
{{- end }}

{{/* `models` for the name of a part that asks models: language models, or for vectors of texts. */}}
{{- define "memory-patrol.asks" -}}
{{- if not (has . (list "stream" "beat" "flower" "migrate" "ingest")) }}models{{ end }}
{{- end }}

{{/* The pod of a part: {root, name, args}, and for doors {port, live, ready}. */}}
{{- define "memory-patrol.pod" -}}
metadata:
  labels:
    {{- include "memory-patrol.labels" . | nindent 4 }}
spec:
  automountServiceAccountToken: false
  # A Service of a release called `patrol` would set PATROL_API_PORT and the like.
  enableServiceLinks: false
  # The program is not process 1, which ignores signals and has to reap the orphans.
  shareProcessNamespace: true
  # More than PATROL_STOP_GRACE and the time to release claims.
  terminationGracePeriodSeconds: 20
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    seccompProfile: {type: RuntimeDefault}
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if eq .name "migrate" }}
  restartPolicy: Never
  {{- end }}
  containers:
    - name: {{ .name }}
      image: "{{ .root.Values.image.repository }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}"
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args: {{ toJson .args }}
      env:
        - {name: PATROL_SECRETS, value: /secrets}
        {{- $thinker := required "settings.PATROL_THINKER: name the provider of language models" .root.Values.settings.PATROL_THINKER }}
        {{- range $name, $value := .root.Values.settings }}
        - {name: {{ $name }}, value: {{ $value | toString | quote }}}
        {{- end }}
        {{- if eq .name "api" }}
        - {name: PATROL_API_PROCESSES, value: {{ .root.Values.parts.api.processes | quote }}}
        - {name: PATROL_API_PORT, value: {{ .port | quote }}}
        {{- else if eq .name "flower" }}
        - {name: PATROL_FLOWER_PORT, value: {{ .port | quote }}}
        {{- else }}
        - {name: PATROL_ALIVE_FILE, value: /tmp/alive}
        {{- if not .root.Values.settings.PATROL_DATABASE_CONNECTIONS }}
        # A task uses one, its lease another, and each concurrent model call a third for an instant.
        - {name: PATROL_DATABASE_CONNECTIONS, value: "4"}
        {{- end }}
        {{- end }}
      {{- if .port }}
      ports:
        - {name: http, containerPort: {{ .port }}}
      startupProbe:
        httpGet: {path: {{ .live }}, port: http}
        periodSeconds: 2
        failureThreshold: 45
      livenessProbe:
        httpGet: {path: {{ .live }}, port: http}
        periodSeconds: 60
        timeoutSeconds: 10
      readinessProbe:
        httpGet: {path: {{ .ready }}, port: http}
        periodSeconds: 10
        timeoutSeconds: 5
      lifecycle:
        # Requests still come for an instant, until all that route them know.
        preStop: {sleep: {seconds: 5}}
      {{- else if ne .name "migrate" }}
      # Parts that no Service sends requests to are ready as soon as they have started.
      {{- $alive := list "/bin/sh" "-c" "test -n \"$(find \"$PATROL_ALIVE_FILE\" -newermt \"-60 seconds\")\"" }}
      startupProbe:
        exec: {command: {{ toJson $alive }}}
        periodSeconds: 5
        timeoutSeconds: 10
        failureThreshold: 24
      livenessProbe:
        exec: {command: {{ toJson $alive }}}
        periodSeconds: 60
        timeoutSeconds: 10
      {{- end }}
      resources:
        {{- toYaml .resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
      volumeMounts:
        - {name: secrets, mountPath: /secrets, readOnly: true}
        - {name: tmp, mountPath: /tmp}
        - {name: home, mountPath: /data}
  volumes:
    - name: secrets
      secret:
        secretName: {{ .root.Values.secret }}
        defaultMode: 0440
        items:
          {{- range include "memory-patrol.secrets" . | fromYamlArray }}
          - {key: {{ . }}, path: {{ . }}}
          {{- end }}
    - {name: tmp, emptyDir: {}}
    - {name: home, emptyDir: {}}
{{- end }}
