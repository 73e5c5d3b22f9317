import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { markdownTable } from '../../../src/platform/text-formats.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { startFixture } from './fixture.ts'
import { manifest, runSuite, type Scenario, type SuiteRun } from './run-suite.ts'

const revisions = ['2025-11-25', '2026-07-28'] as const

/** What each revision requires of servers, as its scenarios are frozen. */
const required = { '2025-11-25': 30, '2026-07-28': 37 }

test('the HTTP entry keeps both protocol revisions, and docs/conformance.md tells what was found', async () => {
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
    `What \`@modelcontextprotocol/conformance\` ${version} finds of the HTTP entry (\`reelwright mcp --http\`). The suite ` +
      'calls tools, resources and prompts of its own choice, which `test/mcp/conformance` serves through that entry; ' +
      'what the entry does itself (sessions, headers, origins, streams, the Tasks extension) is what runs in production. ' +
      'This page is written by the run: `npm test -- test/mcp/conformance -u`.',
    'Scenarios marked with a reason are run, but are not required by the revision. Of the pending ones, ' +
      '`http-custom-header-server-validation` is about tools that take arguments from HTTP headers, which ours do not, ' +
      'and `server-sse-polling` about resuming streams, which is optional; `tasks-status-notifications` is skipped, as ' +
      'tasks are polled or followed as resources.',
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
