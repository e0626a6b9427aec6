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
    probe.setAttribute("style", "color: #010203");
    probe.style.setProperty(property, text);
    return getComputedStyle(probe)
      .getPropertyValue(property)
      .replace(/"/g, "")
      .replace(/(?:rgba?|hsla?|oklch|oklab|lab|lch|color)\([^()]*\)/g, bytes)
      .replace(/-?\d*\.\d+(?:e-?\d+)?/g, (number) => String(Math.round(number * 1000) / 1000));
  };
  return names.map((name) => {
    const text = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const usable = properties.filter((property) => CSS.supports(property, text));
    return text ? usable.map((property) => [property, computed(property, `var(${name})`)]) : null;
  });
}
