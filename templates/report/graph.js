"use strict";
// The token graph of the page. The rules are those of tokensync's own TokenGraph: an alias follows its target's
// collection in the mode chosen there, an extended collection's mode falls back on its parent, and a value of a kind
// that the token's type cannot have is none.

// Marks of a token. One that has the name of a group stands in that group.
const HIDDEN = 1, DEPRECATED = 2, UNPUBLISHED = 4, ELSEWHERE = 8, ROOT = 16;

class Graph {
  constructor(data) {
    this.data = data;
    this.chosen = data.collections.map((each) => each.default);
    this.known = [];
  }

  // Choose a mode of a collection; what was settled before is forgotten.
  choose(pairs) {
    for (const [collection, mode] of pairs) this.chosen[collection] = mode;
    this.known = [];
  }

  // What the token shows: [kind, ...], or ["!", reason, where] when it shows nothing. Of a weight that is kept as text,
  // ["s", text, weight], that is the number; a token of type string that refers to it shows the text.
  literal(token) {
    const literal = this.known[token] ?? this.settle(token);
    return literal[0] === "s" && this.kinds(token) === "w" ? ["n", literal[2]] : literal;
  }

  // The code that is written for the token in the chosen mode, or in the nearest parent mode that has one.
  written(token, mode = this.chosen[this.data.collection[token]]) {
    const codes = this.data.code[token];
    if (!Array.isArray(codes)) return codes;
    const modes = this.data.collections[this.data.collection[token]].modes;
    for (let at = mode; at !== null; at = modes[at][2]) if (codes[at] !== null) return codes[at];
    return null;
  }

  // Settle the token and all it refers to, without recursion: a chain may be as long as a library.
  settle(token) {
    const known = this.known;
    const pending = [token];
    const openAt = new Map([[token, 0]]);
    while (pending.length) {
      const current = pending[pending.length - 1];
      const code = this.written(current);
      const missing = this.targets(code).find((each) => known[each] === undefined);
      if (missing === undefined) {
        known[current] ??= this.fitting(current, this.settled(code, current));
        openAt.delete(pending.pop());
      } else if (openAt.has(missing)) {
        for (const each of pending.slice(openAt.get(missing))) known[each] = ["!", "cycle", each];
      } else {
        openAt.set(missing, pending.length);
        pending.push(missing);
      }
    }
    return known[token];
  }

  targets(code) {
    if (code === null) return [];
    if (code >= 0) return [code];
    const value = this.data.values[-1 - code];
    if (value[0] === "m") return value.slice(1).filter((each) => each >= 0);
    return value[0] === "x" ? value[2].map((part) => part[2]) : [];
  }

  // The literal of a code all of whose targets are known.
  settled(code, token) {
    if (code === null) return ["!", "absent", token];
    if (code >= 0) return this.known[code];
    const value = this.data.values[-1 - code];
    if (value[0] === "d") return ["!", "dangling", value[1]];
    if (value[0] === "x") return value[2].length ? this.filled(value, token) : value;
    if (value[0] !== "m") return value;
    const base = this.settled(value[1], token);
    const opacity = this.settled(value[2], token);
    if (base[0] === "!") return base;
    if (opacity[0] === "!") return opacity;
    if (base[0] !== "c" || opacity[0] !== "n") return ["!", "mismatch", token];
    const share = Math.min(Math.max(Number(opacity[1]), 0), 100) / 100;
    return ["c", base[1], String(Math.fround(Math.fround(Number(base[2])) * share))];
  }

  // A composite with what its references lead to in their places.
  filled(value, token) {
    const tree = structuredClone(value[1]);
    for (const [path, type, target, kinds] of value[2]) {
      const literal = this.literal(target);
      if (literal[0] === "!") return literal;
      if (!kinds.includes(literal[0])) return ["!", "mismatch", token];
      let node = tree;
      for (const step of path.slice(0, -1)) node = node[step];
      const isLength = type === "lineHeight" && this.data.types[this.data.type[target]][0] === "dimension";
      node[path[path.length - 1]] = jsonOf(literal, isLength ? "dimension" : type);
    }
    return ["x", tree, []];
  }

  fitting(token, literal) {
    const kinds = this.kinds(token);
    const [kind] = literal;
    const isWeight = kind === "n" || (kind === "s" && literal.length === 3);
    const fits = kinds === "w" ? isWeight : kinds.includes(kind);
    return kind === "!" || !kinds || fits ? literal : ["!", "mismatch", token];
  }

  // The kinds of literal that the token can show.
  kinds(token) {
    return this.data.types[this.data.type[token]][1];
  }

  // The tokens on the way from the token to its literal, without itself.
  chain(token) {
    const steps = [];
    const seen = new Set([token]);
    for (let at = token; ;) {
      const [next] = this.targets(this.written(at));
      if (next === undefined || seen.has(next)) return steps;
      seen.add(next);
      steps.push(next);
      at = next;
    }
  }

  // What the token would show in another mode of its own collection.
  literalIn(token, mode) {
    const collection = this.data.collection[token];
    const other = new Graph(this.data);
    other.chosen = this.chosen.slice();
    other.chosen[collection] = mode;
    return other.literal(token);
  }
}

// A literal as a part of a composite.
function jsonOf(literal, type) {
  const [kind, first, second] = literal;
  if (kind === "c") return { hex: first, alpha: Number(second) };
  if (kind === "q") return { value: Number(first), unit: second };
  if (kind === "n") return type === "dimension" ? { value: Number(first), unit: "px" } : Number(first);
  return first;
}
