import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { markdownTable } from '../../../src/platform/text-formats.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { startFixture } from './fixture.ts'
import { manifest, runSuite, type Scenario, type SuiteRun } from './run-suite.ts'

const revisions = ['2025-11-25', '2026-07-28'] as const

/** Number of scenarios that each revision requires of servers. */
const required = { '2025-11-25': 30, '2026-07-28': 37 }

test('the HTTP entry conforms to both protocol revisions, and docs/conformance.md lists the results', async () => {
  await using fixture = await startFixture()
  await using folder = await temporaryFolder()
  const runs = await Promise.all(
    revisions.map((revision) => runSuite(fixture.url, { revision, folder: join(folder.path, revision) })),
  )
  for (const [index, { code, scenarios, output }] of runs.entries()) {
    const revision = revisions[index] ?? '2025-11-25'
    const scored = scenarios.filter(({ unscored }) => unscored === undefined)
    expect(
      scored.filter(({ failed, passed }) => failed > 0 || passed === 0),
      output,
    ).toEqual([])
    expect([code, scored.length]).toEqual([0, required[revision]])
    const tasks = scenarios.filter(({ name }) => name.startsWith('tasks-'))
    expect(tasks.filter(({ failed }) => failed > 0)).toEqual([])
  }
  await expect(await describeRuns(runs)).toMatchFileSnapshot('../../../docs/conformance.md')
})

async function describeRuns(runs: readonly SuiteRun[]): Promise<string> {
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string }
  const tables = runs.map(({ scenarios }, index) =>
    [`## Protocol revision ${revisions[index]}`, describeScenarios(scenarios)].join('\n\n'),
  )
  return `${[
    '# Conformance',
    `Results of \`@modelcontextprotocol/conformance\` ${version} for the HTTP entry (\`reelwright mcp --http\`). The ` +
      'suite defines the tools, resources and prompts that it calls; `test/mcp/conformance` serves them through that ' +
      'entry. Sessions, headers, origins, streams and the Tasks extension are the production code. To regenerate this ' +
      'page, run `npm test -- test/mcp/conformance -u`.',
    'Scenarios with a reason in the last column are run, but the revision does not require them. Of the pending ones, ' +
      '`http-custom-header-server-validation` tests tools that read arguments from HTTP headers, which ours do not, and ' +
      '`server-sse-polling` tests resumable streams, which are optional. `tasks-status-notifications` is skipped, ' +
      'because tasks are polled or followed as resources.',
    ...tables,
  ].join('\n\n')}\n`
}

function describeScenarios(scenarios: readonly Scenario[]): string {
  return markdownTable(
    ['Scenario', 'Checks passed', 'Checks failed', 'Not required'],
    scenarios.map(({ name, passed, failed, unscored = '' }) => [
      `\`${name}\``,
      String(passed),
      String(failed),
      unscored,
    ]),
  )
}
