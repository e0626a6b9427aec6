// ([[property, text], ...]) => what a browser makes of each text as a value of that property; null for an invalid one.
// `number` stands for a number with its unit, read by the typed object model without any rounding; Firefox has none.
(pairs) => {
  const is_gecko = CSS.supports("-moz-appearance", "none");
  const probe = document.createElement("i");
  const moving = document.createElement("i"); // what has a transition would show the next value on its way
  document.body.append(probe, moving);
  const computed = (property, text) => {
    if (text.trim() === "" || !CSS.supports(property, text)) {
      return null;
    }
    if (property.startsWith("transition")) {
      moving.style.setProperty(property, text);
      return getComputedStyle(moving).getPropertyValue(property);
    }
    probe.style.cssText = "";
    probe.style.setProperty(property, text);
    return getComputedStyle(probe).getPropertyValue(property);
  };
  const numeric = (text) => {
    if (is_gecko) {
      const number = /^\s*([-+]?[\d.]+(?:e[-+]?\d+)?)(%|[a-z]+|)\s*$/i.exec(text);
      return number && [Number(number[1]), { "": "number", "%": "percent" }[number[2]] ?? number[2].toLowerCase()];
    }
    try {
      const { value, unit } = CSSNumericValue.parse(text);
      return value === undefined ? null : [value, unit];
    } catch {
      return null;
    }
  };
  const in_srgb = (color) => {
    const shown = computed("color", `color(from ${color} srgb r g b / alpha)`);
    if (!is_gecko || !shown.includes("/")) {
      return shown;
    }
    const exact = computed("color", `color(from ${color} srgb alpha 0 0)`); // Firefox shows few decimals of an alpha
    return shown.replace(/[\d.]+(?=\)$)/, exact.split(" ")[1]);
  };
  const read = (property, text) => {
    switch (property) {
      case "number":
        return numeric(text);
      case "color":
        return computed("color", text) && in_srgb(text);
      default:
        return computed(property, text)?.replace(/(?:ok)?l(?:ab|ch)\([^()]*\)/g, in_srgb) ?? null;
    }
  };
  const found = pairs.map(([property, text]) => read(property, text));
  probe.remove();
  moving.remove();
  return found;
}
