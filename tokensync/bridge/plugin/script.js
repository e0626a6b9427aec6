// The part of a script that carries out a plan: in a plugin's console, or through an agent. It stands after engine.js.

/**
 * What the plan's file was like: the number of its variables and collections, a digest of all of them, and four digits of
 * the digest of each one.
 * @typedef {{count: number, digest: string, marks: string}} Expected
 * @typedef {{plan: string, key: string, expected: Expected, bodies: Json[]}} ScriptedPlan
 * @typedef {{plan: string, state: "done" | "refused" | "outdated" | "half done", message: string,
 *   made: Record<string, string> | null}} Receipt
 */

const FACTS = ["name", "description", "hiddenFromPublishing", "resolvedType", "variableCollectionId", "valuesByMode"];
FACTS.push("scopes", "codeSyntax", "modes", "parentVariableCollectionId", "variableOverrides");
const MOST_RETURNED = 18000; // characters of a receipt, since use_figma returns at most 20 kB

/** The file is not as the plan found it. */
class Outdated extends Refused {}

/** A form of a value that does not depend on the order of members, nor on digits that the editor does not keep.
 * @param {any} value @returns {any} */
function canonical(value) {
  if (typeof value === "number") return new Uint32Array(new Float32Array([value + 0]).buffer)[0];
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value === undefined ? null : value;
  return Object.keys(value).sort().map((name) => [name, canonical(value[name])]);
}

/** The facts of a variable or collection that a plan is bound to, in ASCII. @param {Json} document */
function factsOf(document) {
  const facts = picked(document, FACTS);
  if (facts.scopes) facts.scopes = facts.scopes.slice().sort();
  return JSON.stringify([document.id, ...FACTS.map((name) => canonical(facts[name]))]).replace(/[^ -~]/g, escaped);
}

/** Refuse a file that is not as the plan found it. @param {Meta} meta @param {Expected} expected */
function refuseOutdated(meta, expected) {
  const every = Object.assign({}, meta.variableCollections, meta.variables);
  const ids = Object.keys(every).filter((id) => !every[id].remote && !every[id].deletedButReferenced).sort();
  const marks = ids.map((id) => digest(factsOf(every[id])));
  if (digest(marks.join()) === expected.digest) return;
  const changed = ids.filter((id, index) => marks[index].slice(-4) !== expected.marks.substr(4 * index, 4));
  const names = changed.slice(0, 3).map((id) => every[id].name).join(", ");
  const numbers = `${ids.length} variables and collections, and had ${expected.count}`;
  const what = ids.length === expected.count ? `different: ${changed.length}, such as ${names}` : `it has ${numbers}`;
  throw new Outdated(`the file is not as it was when the plan was made (${what})`);
}

/** Carry out a plan. @param {ScriptedPlan} plan @param {string} decision About a request that is half done.
 * @returns {Promise<[string, string][]>} The ids of new objects. */
async function carriedOut(plan, decision) {
  if (figma.fileKey && figma.fileKey !== plan.key) throw new Refused(`the plan is for the file ${plan.key}`);
  const last = head();
  if (last !== null && last.state === "writing") {
    if (decision !== "complete" && decision !== "take back") {
      const what = last.job === plan.plan ? "an earlier run of this script" : "an earlier request";
      throw new HalfDone(`${what} is half done`);
    }
    const { left } = await finish(decision, false).catch((error) => {
      throw new HalfDone(`the request stays half done: ${textOf(error)}`);
    });
    if (left.length > 0) console.log(`left as somebody has changed it: ${left.join(", ")}`);
    if (decision !== "complete" || last.job !== plan.plan) throw new Refused(`decided (${decision}); run this again`);
    return asked(recorded());
  }
  const reading = await read(targets(plan.bodies));
  try {
    refuseOutdated(reading.meta, plan.expected);
  } catch (error) {
    if (last !== null && last.job === plan.plan && last.state === "done") return asked(recorded()); // run twice
    throw error;
  }
  return (await carryOut(plan.plan, reading, plan.bodies)).made;
}

/** @param {ScriptedPlan} plan @param {string} decision @returns {Promise<Receipt>} */
async function receiptOf(plan, decision) {
  try {
    /** @type {Record<string, string>} */
    const made = {};
    for (const [temporary, id] of await carriedOut(plan, decision)) made[temporary] = id;
    const isTooLong = JSON.stringify(made).length > MOST_RETURNED;
    return { plan: plan.plan, state: "done", message: "", made: isTooLong ? null : made };
  } catch (error) {
    const state = error instanceof HalfDone ? "half done" : error instanceof Outdated ? "outdated" : "refused";
    const advice = `; run this with DECISION = "complete" or "take back" in its first lines`;
    return { plan: plan.plan, state, message: textOf(error) + (state === "half done" ? advice : ""), made: {} };
  }
}
