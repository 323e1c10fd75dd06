/** About how many bytes a value holds: enough to know when a batch is full, without writing the value out. */
export function weigh(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  const parts = Array.isArray(value) ? value : Object.values(value);
  return parts.reduce<number>((sum, part) => sum + weigh(part) + 8, 0);
}
