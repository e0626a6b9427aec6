/** The control of an axis, which is an attribute of the page: without it, the theme follows the system. */
export function Choice({ axis, values, className }: { axis: string; values: string[]; className?: string }) {
  function choose(value: string) {
    const { dataset } = document.documentElement;
    if (value === "system") delete dataset[axis];
    else dataset[axis] = value;
  }
  return (
    <select aria-label={axis} data-axis={axis} className={className} onChange={(event) => choose(event.target.value)}>
      {values.map((value) => (
        <option key={value}>{value}</option>
      ))}
    </select>
  );
}
