// (names, placements) => {texts, rows}: the computed custom properties of an element at each placement. A placement is
// a list of attribute maps: the first is the root element's, each further one a nested element's, the last is read.
// An element with the attribute shadow-host holds the further ones in a shadow tree that adopts the page's style sheet.
(given) => {
  const [names, placements] = given;
  const html = document.documentElement;
  const texts = [];
  const known = new Map();
  const numbered = (text) => {
    let number = known.get(text);
    if (number === undefined) {
      number = texts.push(text) - 1;
      known.set(text, number);
    }
    return number;
  };
  // light-dark() stays as it is in a custom property; what it shows is the element's own colour scheme's.
  const shown = (element, text) => {
    const probe = document.createElement("i");
    element.append(probe);
    const computed = (color) => {
      probe.style.color = color;
      return getComputedStyle(probe).color;
    };
    let color = computed(text);
    if (CSS.supports("-moz-appearance", "none") && color.includes("/")) { // Firefox shows few decimals of an alpha
      color = color.replace(/[\d.]+(?=\)$)/, computed(`color(from ${text} srgb alpha 0 0)`).split(" ")[1]);
    }
    probe.remove();
    return color;
  };
  const end_of = (text, begin) => {
    let depth = 0;
    for (let at = begin; ; at++) {
      depth += { "(": 1, ")": -1 }[text[at]] ?? 0;
      if (depth === 0 && text[at] === ")") {
        return at + 1;
      }
    }
  };
  const without_choices = (element, text) => {
    const begin = text.indexOf("light-dark(");
    if (begin < 0) {
      return text;
    }
    const end = end_of(text, begin);
    return text.slice(0, begin) + shown(element, text.slice(begin, end)) + without_choices(element, text.slice(end));
  };
  const adopted = new CSSStyleSheet();
  adopted.replaceSync(document.querySelector("style").textContent);
  const within = (element) => {
    if (!element.hasAttribute("shadow-host")) {
      return element;
    }
    const tree = element.attachShadow({ mode: "open" });
    tree.adoptedStyleSheets = [adopted];
    return tree;
  };
  const rows = placements.map(([root, ...nested]) => {
    const usual = new Map(Object.keys(root).map((name) => [name, html.getAttribute(name)]));
    Object.entries(root).forEach(([name, value]) => html.setAttribute(name, value));
    let element = nested.length > 0 ? document.body : html;
    for (const attributes of nested) {
      const inner = document.createElement("div");
      Object.entries(attributes).forEach(([name, value]) => inner.setAttribute(name, value));
      within(element).append(inner);
      element = inner;
    }
    const style = getComputedStyle(element);
    const here = new Map();
    const row = names.map((name) => {
      const text = style.getPropertyValue(name);
      if (!text.includes("light-dark(")) {
        return numbered(text);
      }
      if (!here.has(text)) {
        here.set(text, numbered(without_choices(element, text)));
      }
      return here.get(text);
    });
    document.body.replaceChildren();
    usual.forEach((value, name) => (value === null ? html.removeAttribute(name) : html.setAttribute(name, value)));
    return row;
  });
  return JSON.stringify({ texts, rows }); // one text: the driver takes a look at every member of a list
}
