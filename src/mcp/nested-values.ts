type ValuePath = readonly (string | number)[]

/** Sets the value at a path inside nested arguments. */
export function setAt(target: Record<string, unknown>, path: ValuePath, value: unknown): void {
  const last = path.at(-1)
  if (last !== undefined) parentOf(target, path)[last] = value
}

/** The object or array that contains the value at a path. */
export function parentOf(args: unknown, path: ValuePath): Record<string | number, unknown> {
  let holder = args as Record<string | number, unknown>
  for (const key of path.slice(0, -1)) holder = holder[key] as Record<string | number, unknown>
  return holder
}
