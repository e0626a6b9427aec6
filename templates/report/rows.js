"use strict";
// Rows of tokens and the headings above them.

const MOST_MODES = 8; // how many modes' values a row shows beside the chosen one
const LONGEST_TEXT = 400; // characters of a name or a value on the page; the whole text is copied
const FEWEST_COLORS = 4; // of a group that gets a strip of its colours

function shortened(text) {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
}

class Rows {
  constructor(graph, since) {
    this.graph = graph;
    this.data = graph.data;
    this.since = since;
    this.specimens = [];
  }

  type(token) {
    return this.data.types[this.data.type[token]][0];
  }

  // What the token shows, in words.
  text(token, literal = this.graph.literal(token)) {
    return valueText(literal, this.type(token), this.specimen(token));
  }

  specimen(token) {
    return (this.specimens[token] ??= specimenOf(
      this.type(token), this.data.scopes[this.data.scope[token]], this.data.opacity[token], this.pathNames(token)));
  }

  groupNames(token) {
    return this.data.groups[this.data.group[token]];
  }

  // The names from the outermost group to the token.
  pathNames(token) {
    return this.data.mark[token] & ROOT ? this.groupNames(token) : [...this.groupNames(token), this.data.leaf[token]];
  }

  path(token) {
    return this.pathNames(token).join("/");
  }

  // What a link to the token says: its collection's handle and its path.
  address(token) {
    const { file, handle } = this.data.collections[this.data.collection[token]];
    return [...(file ? [file] : []), handle, this.path(token)].join("/");
  }

  // What changed: words, the mode that it is in or nothing, and the location; an alias may change what a token shows.
  changes(token) {
    const was = this.since?.was[token] ?? -1;
    const own = this.since?.changes[token] ?? [];
    const isOther = was >= 0 && !own.some(([, , mode]) => mode !== null) && before.text(was) !== this.text(token);
    return isOther ? [...own, ["shown", `${before.text(was)} -> ${this.text(token)}`, null, ""]] : own;
  }

  // The changes as a list: a swatch before and after, the words, and a link to the line.
  changed(changes, { folder }, token) {
    const list = make("ul", "changes");
    for (const [said, words, mode, location] of changes) {
      const entry = make("li");
      const was = this.since?.was[token] ?? -1;
      const then = was >= 0 && (mode !== null || said === "shown") && (mode === null ? before.graph.literal(was) : before.literalOf(was, token, mode));
      const now = then && (mode === null ? this.graph.literal(token) : this.graph.literalIn(token, mode));
      if (then && then[0] === "c" && now[0] === "c") entry.append(swatch(then, "swatch"), make("span", "arrow", "→"), swatch(now, "swatch"));
      entry.append(make("span", "", shortened(visible(words ? `${said}: ${words}` : said))));
      if (location) {
        const [, path, line] = /^(.*?):?(\d*)$/s.exec(location);
        const link = make("a", "line", visible(location));
        link.href = `${[".", folder, path].map(wellFormed).map(encodeURI).join("/").replace(/[?#]/g, encodeURIComponent)}#L${line}`;
        if (this.since) entry.append(link);
        else entry.append(make("span", "line", visible(location)));
      }
      list.append(entry);
    }
    return list;
  }

  // What the token of the earlier state shows in the mode that has the name of one of the present state.
  literalOf(was, token, mode) {
    const [, column] = former(data.collection[token], mode) ?? [];
    return column === undefined ? null : this.graph.literalIn(was, column);
  }

  row(token, changed) {
    const literal = this.graph.literal(token);
    const kind = this.specimen(token);
    const row = make("li", "row");
    row.dataset.token = token;
    row.append(specimen(literal, kind), this.about(token), this.value(token, literal), this.names(token));
    const changes = changed ?? (this.since && this.changed(this.changes(token), this.since, token));
    if (changes?.hasChildNodes()) row.append(changes);
    return row;
  }

  about(token) {
    const cell = make("div", "about");
    const title = make("p", "title");
    const link = make("a", "leaf", shortened(visible(this.data.leaf[token])));
    link.href = `#token=${encodeURIComponent(wellFormed(this.address(token)))}`;
    link.title = shortened(visible(this.path(token)));
    title.append(link);
    const mark = this.data.mark[token];
    const marks = [[DEPRECATED, "deprecated"], [HIDDEN, "hidden"], [UNPUBLISHED, "not published"], [ELSEWHERE, "other file"]];
    for (const [bit, label] of marks) if (mark & bit) title.append(make("span", `mark ${label.replace(" ", "-")}`, label));
    cell.append(title);
    const reason = this.data.deprecated[token];
    if (typeof reason === "string") cell.append(make("p", "reason", shortened(visible(reason))));
    const description = this.data.description[token];
    if (description) cell.append(make("p", "description", shortened(description.split("\n").map(visible).join("\n"))));
    return cell;
  }

  value(token, literal) {
    const cell = make("div", "value");
    const text = this.text(token, literal);
    if (literal[0] === "!") cell.append(make("p", "unresolved", text));
    else cell.append(copyable(literal[0] === "s" ? literal[1] : text, text));
    const parts = literal[0] === "x" ? new Set(this.graph.targets(this.graph.written(token))) : [];
    const steps = parts.size > 1 ? [...parts] : this.graph.chain(token);
    if (steps.length) {
      const chain = make("p", "chain");
      for (const step of steps.slice(0, 6)) {
        chain.append(make("span", "arrow", parts.size > 1 && step !== steps[0] ? "+ " : "→ "), this.reference(step), " ");
      }
      if (steps.length > 6) chain.append(make("span", "", `and ${steps.length - 6} more`));
      cell.append(chain);
    }
    const modes = this.modes(token);
    if (modes) cell.append(modes);
    return cell;
  }

  reference(token) {
    const { name } = this.data.collections[this.data.collection[token]];
    const link = make("a", "", shortened(visible(this.path(token))));
    link.href = `#token=${encodeURIComponent(wellFormed(this.address(token)))}`;
    link.title = visible(name);
    return link;
  }

  // The values in the collection's modes, where they differ.
  modes(token) {
    const { modes } = this.data.collections[this.data.collection[token]];
    if (modes.length < 2) return null;
    const literals = modes.slice(0, MOST_MODES).map((_, mode) => this.graph.literalIn(token, mode));
    const texts = literals.map((each) => this.text(token, each));
    if (new Set(texts).size < 2) return null;
    const list = make("ul", "modes");
    literals.forEach((literal, mode) => {
      const item = make("li");
      const [name, extension] = modes[mode];
      const label = visible(extension ? `${extension} · ${name}` : name);
      if (literal[0] === "c") item.append(swatch(literal, "dot"));
      item.append(make("span", "", literal[0] === "c" ? label : `${label} ${shortened(texts[mode])}`));
      item.title = `${label}: ${shortened(texts[mode])}`;
      if (mode === this.graph.chosen[this.data.collection[token]]) item.className = "chosen";
      list.append(item);
    });
    if (modes.length > MOST_MODES) list.append(make("li", "", `and ${modes.length - MOST_MODES} more`));
    return list;
  }

  names(token) {
    const list = make("dl", "names");
    this.data.platforms.forEach((platform, index) => {
      const name = this.data.name[index][token];
      if (name) {
        const pair = make("div");
        const place = make("dd");
        place.append(copyable(name, shortened(visible(name))));
        pair.append(make("dt", "", titleOf(platform)), place);
        list.append(pair);
      }
    });
    return list;
  }

  heading(tokens) {
    const cell = make("div", "group");
    const names = this.groupNames(tokens[0]);
    const heading = make("h3");
    names.forEach((name, index) => {
      if (index) heading.append(make("span", "slash", " / "));
      heading.append(make("span", "", shortened(visible(name)) || "(no name)"));
    });
    if (names.length) cell.append(heading);
    const colors = tokens.map((each) => this.graph.literal(each)).filter((each) => each[0] === "c");
    if (colors.length >= FEWEST_COLORS && this.type(tokens[0]) === "color") {
      const strip = make("div", "strip");
      strip.setAttribute("aria-hidden", "true");
      strip.append(...colors.slice(0, 24).map((each) => swatch(each, "")));
      cell.append(strip);
    }
    return cell;
  }
}

const TITLES = {
  __proto__: null, android: "Android", compose: "Compose", css: "CSS", flutter: "Flutter", ios: "iOS", json: "JSON", panda: "Panda",
  "react-native": "React Native", scss: "SCSS", storybook: "Storybook", stylex: "StyleX", tailwind: "Tailwind", typescript: "TypeScript",
};

// What people call an output: its platform, and its path if the platform has several; a template has its own name.
function titleOf(output) {
  return shortened(visible(output.replace(/^[\w-]+(?=$| \()/, (platform) => TITLES[platform] ?? platform)));
}

// A text that a click copies, whole. A long one is broken behind its signs, not inside of its words.
function copyable(text, shown) {
  const button = make("button", "copy");
  const parts = (shortened(shown) || "(empty)").split(/(?<=\w[-_./])(?=\w)/);
  parts.forEach((part, index) => button.append(...(index ? [make("wbr")] : []), part));
  button.type = "button";
  button.title = "Copy";
  button.copied = text;
  return button;
}

// Text that can stand in an address: a lone half of a surrogate pair cannot.
function wellFormed(text) {
  return text.replace(/\p{Cs}/gu, "\ufffd");
}
