// (names, properties, attributes) => [[property, computed value], ...] of each custom property, for the properties that
// can use it, below a root element with these attributes. Colours are the bytes that a canvas shows.
(given) => {
  const [names, properties, attributes] = given;
  for (const [name, value] of Object.entries(attributes)) {
    document.documentElement.setAttribute(name, value);
  }
  const probe = document.body.appendChild(document.createElement("p"));
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const bytes = (color) => {
    if (!known.has(color)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      known.set(color, `[${canvas.getImageData(0, 0, 1, 1).data}]`);
    }
    return known.get(color);
  };
  const computed = (property, text) => {
    probe.setAttribute("style", "");
    probe.style.setProperty(property, text);
    return getComputedStyle(probe)
      .getPropertyValue(property)
      .replace(/"/g, "")
      .replace(/(?:rgba?|hsla?|oklch|oklab|lab|lch|color)\([^()]*\)/g, bytes)
      .replace(/-?\d*\.\d+(?:e-?\d+)?/g, (number) => String(Math.round(number * 1000) / 1000));
  };
  const unset = new Map(properties.map((property) => [property, computed(property, "var(--no-such-name)")]));
  return names.map((name) => {
    if (!getComputedStyle(document.documentElement).getPropertyValue(name).trim()) {
      return null;
    }
    const values = properties.map((property) => [property, computed(property, `var(${name})`)]);
    return values.filter(([property, value]) => value !== unset.get(property));
  });
}
