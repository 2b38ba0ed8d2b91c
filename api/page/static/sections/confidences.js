// The button that sets or lifts a confidence.

import { change } from "../actions.js";
import { button } from "../dom.js";

const SHOWN = { stays: "Prompts of other Beings that showed it meanwhile stay as they were." };

/** Sets the confidence of a message, a fact or a todo, or lifts it; `set` makes the request that changes it. */
export function confidenceButton(secret, set) {
  const [keep, lift] = [set({ in_confidence: true }), set({ in_confidence: false })];
  return secret
    ? button("Lift the confidence", () => change("Lifted: all of the user’s Beings may know it.", lift, keep, SHOWN), { class: "quiet" })
    : button("Keep in confidence", () => change("In confidence: it stays with who was told.", keep, lift), {
        class: "quiet",
      });
}
