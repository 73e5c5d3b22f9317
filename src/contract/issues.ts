import * as z from 'zod'

/** Required top-level fields that a value lacks, by name. */
export function missingFields(input: z.ZodObject, given: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(input.shape as z.ZodRawShape)
    .filter(([name, field]) => given[name] === undefined && !z.safeParse(field, undefined).success)
    .map(([name]) => name)
}

/** Issues a reader can act on; more than a few help nobody. */
const maxIssuesShown = 5

/** What is wrong with a value, place by place; `whole` is the name of the value itself. */
export function describeIssues(error: z.ZodError, whole: string): string {
  const shown = error.issues
    .slice(0, maxIssuesShown)
    .map((issue) => `${z.core.toDotPath(issue.path) || whole}: ${issue.message}`)
  const more = error.issues.length - shown.length
  return shown.join('; ') + (more > 0 ? `; and ${more} more` : '')
}

/** How to fix it, where the rule that was broken tells (`params: { fix }` of a refinement). */
export function fixOf({ issues }: z.ZodError): string | undefined {
  for (const issue of issues) {
    const fix: unknown = issue.code === 'custom' ? issue.params?.['fix'] : undefined
    if (typeof fix === 'string') return fix
  }
  return undefined
}
