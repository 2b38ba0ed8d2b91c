// Generates src/types.ts and src/routes.ts from the repository's openapi.json: `node generate.mjs`, which `npm pack` runs.

import { readFile, writeFile } from "node:fs/promises";

const DOCUMENT = new URL("../../openapi.json", import.meta.url);
const HEAD = "// Generated from openapi.json when the client is built; do not edit.\n\n";
const JSON_MEDIA = "application/json";
// The client sends it with every POST by itself.
const IDEMPOTENCY_KEY = "idempotency-key";
const PLAIN = { string: "string", integer: "number", number: "number", boolean: "boolean", null: "null" };

const document = JSON.parse(await readFile(DOCUMENT, "utf8"));
await writeFile(new URL("src/types.ts", import.meta.url), types(document.components.schemas));
await writeFile(new URL("src/routes.ts", import.meta.url), routes(document.paths));

// The type of a schema; named types are prefixed with `module`.
function hint(schema, module = "") {
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return [...new Set(variants.map((each) => hint(each, module)))].join(" | ");
  if (schema.$ref) return module + typeName(schema.$ref);
  if ("enum" in schema || "const" in schema) return (schema.enum ?? [schema.const]).map((each) => JSON.stringify(each)).join(" | ");
  if (schema.type === "array") {
    const inner = schema.items ? hint(schema.items, module) : "unknown";
    return inner.includes("|") ? `(${inner})[]` : `${inner}[]`;
  }
  if (schema.type === "object") {
    const inner = Object.values(schema.patternProperties ?? {})[0] ?? schema.additionalProperties;
    return `Record<string, ${inner && typeof inner === "object" ? hint(inner, module) : "unknown"}>`;
  }
  return PLAIN[schema.type] ?? "unknown";
}

function types(schemas) {
  const interfaces = Object.keys(schemas)
    .sort()
    .map((name) => {
      const { type, properties, description, required = [] } = schemas[name];
      if (type !== "object" || !properties) throw new Error(`${name} is no object with properties, the only type that gets a name`);
      const fields = Object.entries(properties).map(
        ([field, schema]) => `${comment(schema.description, "  ")}  ${field}${required.includes(field) ? "" : "?"}: ${hint(schema)};\n`,
      );
      return `${comment(description)}export interface ${typeName(name)} {\n${fields.join("")}}\n`;
    });
  return `// The JSON objects of the API. Times and ids are strings, as they are sent.\n${HEAD}${interfaces.join("\n")}`;
}

function routes(paths) {
  const methods = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => route(path, method.toUpperCase(), operation)),
  );
  return `// One method for each route.
${HEAD}import { part, type Request } from "./requests.js";
import type * as types from "./types.js";

/** The routes of the API, by their operation ids. */
export abstract class Routes {
  /** Sends a request; resolves to the JSON of its answer. */
  abstract send(request: Request): Promise<unknown>;

  /** Sends a request; yields the lines of its answer. */
  abstract stream(request: Request): AsyncIterable<string>;

${methods.join("\n")}}
`;
}

function route(path, method, operation) {
  const parameters = operation.parameters ?? [];
  const query = parameters.filter((each) => each.in === "query");
  const headers = parameters.filter((each) => each.in === "header" && each.name !== IDEMPOTENCY_KEY);
  const [media, sent] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const told = Object.entries(operation.responses).find(([status]) => status < "300")[1].content;

  const inPath = [...path.matchAll(/{(\w+)}/g)].map(([, name]) => parameters.find((each) => each.in === "path" && each.name === name));
  const taken = inPath.map((each) => `${camel(each.name)}: ${hint(each.schema, "types.")}`);
  const request = [`method: "${method}"`, "path: `" + path.replace(/{(\w+)}/g, (_, name) => `\${part(${camel(name)})}`) + "`"];
  if (media) taken.push(`body: ${media === JSON_MEDIA ? hint(sent.schema, "types.") : "string"}`);
  const options = [...query, ...headers].map((each) => `${camel(each.name)}?: ${hint(each.schema, "types.")} | undefined;`);
  if (options.length) taken.push(`options: { ${options.join(" ")} } = {}`);
  for (const [kind, fields] of Object.entries({ query, headers })) {
    const pairs = fields.map(({ name }) => `${JSON.stringify(name)}: options.${camel(name)}`);
    if (pairs.length) request.push(`${kind}: { ${pairs.join(", ")} }`);
  }
  if (media) request.push("body");
  if (media && media !== JSON_MEDIA) request.push(`media: "${media}"`);

  const call = `{ ${request.join(", ")} }`;
  const head = `${comment(`${operation.summary} ${operation.description}`, "  ")}  ${camel(operation.operationId)}(${taken.join(", ")})`;
  if (told && !(JSON_MEDIA in told)) return `${head}: AsyncIterable<string> {\n    return this.stream(${call});\n  }\n`;
  const schema = told?.[JSON_MEDIA].schema ?? {};
  const answer = Object.keys(schema).length ? hint(schema, "types.") : "void";
  return `${head}: Promise<${answer}> {\n    return this.send(${call}) as Promise<${answer}>;\n  }\n`;
}

// A method's or parameter's name, as `listKeptNotes` of `list_kept_notes`.
function camel(name) {
  const [first, ...rest] = name.replace(/^X-/, "").split(/[_\W]+/);
  return first[0].toLowerCase() + first.slice(1) + rest.map((each) => each.slice(0, 1).toUpperCase() + each.slice(1)).join("");
}

function typeName(reference) {
  return reference.split("/").at(-1).replaceAll("-", "");
}

function comment(text, margin = "") {
  return text ? `${margin}/** ${text.replaceAll("*/", "* /").trim().split(/\s+/).join(" ")} */\n` : "";
}
