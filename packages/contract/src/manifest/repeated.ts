/** Where a list holds a value for the second time. */
export function findRepeated(values: readonly string[]): number | undefined {
  const at = values.findIndex((value, index) => values.indexOf(value) < index);
  return at < 0 ? undefined : at;
}
