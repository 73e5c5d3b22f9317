/** What Node has compiled already, for a server that a test starts: the SDK's transport passes on but the usual variables. */
export function compileCache(): Record<string, string> {
  const cache = process.env['NODE_COMPILE_CACHE']
  return cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }
}
