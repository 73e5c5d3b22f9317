import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

function runWith(arming: string): { readonly signal: string | null; readonly out: string } {
  const script = `
    import { armFailpoint, failpoint } from ${JSON.stringify(import.meta.resolve('./failpoint.ts'))}
    import { writeSync } from 'node:fs'
    ${arming}
    for (const round of ['1', '2', '3']) {
      failpoint('step')
      writeSync(1, round)
    }
  `
  const { signal, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script])
  return { signal, out: stdout.toString() }
}

test('an armed failpoint kills the process at the requested hit', () => {
  expect(runWith(`armFailpoint('step')`)).toEqual({ signal: 'SIGKILL', out: '' })
  expect(runWith(`armFailpoint('step', 3)`)).toEqual({ signal: 'SIGKILL', out: '12' })
})

test('other failpoints have no effect', () => {
  expect(runWith('')).toEqual({ signal: null, out: '123' })
  expect(runWith(`armFailpoint('another')`)).toEqual({ signal: null, out: '123' })
})
