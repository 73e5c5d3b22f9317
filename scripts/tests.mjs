import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inForeground } from './setup/process.mjs'

/** Runs vitest, then prints the closing line `N passed, N failed`. Returns the exit code. */
export async function runTests(root, { node, env }, rest) {
  const scratch = await mkdtemp(join(tmpdir(), 'reelwright-report-'))
  try {
    const report = join(scratch, 'report.json')
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
    const summary = join(root, 'scripts', 'summary-reporter.mjs')
    const reporters = ['default', 'json', summary].map((reporter) => `--reporter=${reporter}`)
    reporters.push(`--outputFile.json=${report}`)
    const code = await inForeground(node, [vitest, 'run', ...reporters, ...rest], {
      cwd: root,
      env: { ...workerVariables(root), ...env },
    })
    const { passed, failed, skipped: others } = await countResults(report)
    // A run that failed without a failed test (nothing ran, an error between tests) counts as one.
    const failures = code !== 0 && failed === 0 ? 1 : failed
    console.log(`\n${passed} passed, ${failures} failed${others > 0 ? `, ${others} skipped` : ''}`)
    return failures > 0 ? code || 1 : code
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Variables of the test runner and its workers, which keep them from the processes that they start (test/setup/isolate.ts). */
function workerVariables(root) {
  return {
    // Test files load the same modules again and again.
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compile'),
    // A start of a process copies the page tables of the worker. By default, glibc keeps hundreds of MiB that were freed.
    // Large pages have shorter tables.
    GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
    MALLOC_ARENA_MAX: '1',
    MALLOC_MMAP_THRESHOLD_: String(2 ** 20),
    MALLOC_TRIM_THRESHOLD_: String(2 ** 20),
  }
}

async function countResults(report) {
  const { testResults } = await readFile(report, 'utf8').then(JSON.parse, () => ({ testResults: [] }))
  const tests = testResults.flatMap(({ status, assertionResults }) => {
    const states = assertionResults.map((result) => result.status)
    // A file that fails to load has no tests.
    return status === 'failed' && !states.includes('failed') ? [...states, 'failed'] : states
  })
  const passed = tests.filter((status) => status === 'passed').length
  const failed = tests.filter((status) => status === 'failed').length
  return { passed, failed, skipped: tests.length - passed - failed }
}
