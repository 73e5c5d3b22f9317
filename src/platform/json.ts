/** Reads JSON that anybody may have written: undefined where it is none, so that a schema refuses it as it refuses all else. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
