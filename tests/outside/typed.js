// ([[property, text], ...]) => what Chromium makes of each text as a value of that property; null for an invalid one.
// `number` stands for a number with its unit, read by the typed object model without any rounding.
(pairs) => {
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
    try {
      const { value, unit } = CSSNumericValue.parse(text);
      return value === undefined ? null : [value, unit];
    } catch {
      return null;
    }
  };
  const read = (property, text) => {
    switch (property) {
      case "number":
        return numeric(text);
      case "color":
        return computed("color", text) && computed("color", `color(from ${text} srgb r g b / alpha)`);
      default:
        return computed(property, text);
    }
  };
  const found = pairs.map(([property, text]) => read(property, text));
  probe.remove();
  moving.remove();
  return found;
}
