import { join } from 'node:path'
import { inBackground } from './setup/process.mjs'

/** The checks of `npm run check`; they run concurrently. */
const checks = {
  // Reports the errors of `tsc` too, by the nearest tsconfig.json of each file, and parses everything once for both.
  'lint and types': ['node_modules/oxlint/bin/oxlint', '--type-check'],
  format: ['node_modules/oxfmt/bin/oxfmt', '--check'],
  unused: ['node_modules/knip/bin/knip.js', '--no-progress'],
  generated: ['src/gen/gen.ts', '--check'],
  language: ['scripts/language/check.mjs'],
}

/** Runs all checks and prints the output of those that fail. Returns the exit code. */
export async function runChecks(root, { node, env }) {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, [script, ...args]]) => {
      const started = Date.now()
      const { code, output } = await inBackground(node, [join(root, script), ...args], { cwd: root, env })
      console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${Date.now() - started} ms)`)
      return { code, output: `\n--- ${name}\n${output.trimEnd()}` }
    }),
  )
  const failed = results.filter(({ code }) => code !== 0)
  for (const { output } of failed) console.error(output)
  return failed.length > 0 ? 1 : 0
}
