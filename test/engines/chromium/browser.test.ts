import { readdirSync, readFileSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { defaultBrowserLimits } from '../../../src/engines/chromium/browser-failure.ts'
import { Browser } from '../../../src/engines/chromium/browser.ts'
import { findChromium } from '../../../src/engines/chromium/locate.ts'
import { splitSearchPath, setSearchPath } from '../../../src/platform/environment.ts'
import {
  counterCells,
  lacksBrowser,
  numbersShown,
  particle,
  play,
  captureFolder,
  showNumber,
  timeline,
} from './play.ts'

describe.skipIf(lacksBrowser)('a browser', () => {
  it.skipIf(process.platform !== 'linux')(
    'that is killed is replaced by another one, and no frame is lost',
    async () => {
      const page = particle(counterCells, `${showNumber}; ${timeline('show(Math.round(t * 10))', 4)}`, {
        duration: 4,
      })
      const scratch = await captureFolder()
      let killed = 0
      let tried = false
      const shots = await play([page], {
        frames: 40,
        scratch,
        onFrame: () => {
          if (tried) return
          tried = true
          killed = killBrowsers(scratch)
        },
      })
      expect(killed).toBeGreaterThan(0)
      expect(numbersShown(shots)).toEqual(Array.from({ length: 40 }, (_, frame) => frame))
    },
  )

  it('that does not start is started once more', async () => {
    const real = findChromium(splitSearchPath(process.env['PATH'])) ?? ''
    const folder = await captureFolder()
    const program = join(folder, basename(real))
    await writeFile(
      program,
      `#!/bin/sh\n[ -e "$0.tried" ] && exec "${real}" "$@"\n: > "$0.tried"; exit 1\n`,
      {
        mode: 0o755,
      },
    )
    setSearchPath(folder)
    onTestFinished(() => setSearchPath(process.env['PATH']))
    expect(await play([particle('<p>x</p>', timeline(''))], { frames: 1 })).toHaveLength(1)
    expect(await readdir(folder)).toContain(`${basename(real)}.tried`)
  })

  it.skipIf(process.platform === 'win32')('that is too old is rejected', async () => {
    const scratch = await captureFolder()
    const program = join(await captureFolder(), 'chromium')
    const response = String.raw`{"id":1,"result":{"product":"Chrome/118.0.5993.70"}}\0`
    await writeFile(program, `#!/bin/sh\nprintf '${response}' >&4\nexec cat <&3\n`, { mode: 0o755 })
    const { signal } = new AbortController()
    const starting = Browser.launch({
      scratch,
      beginFrame: false,
      limits: defaultBrowserLimits,
      signal,
      program,
    })
    await expect(starting).rejects.toMatchObject({
      code: 6401,
      message: expect.stringContaining('Chrome/118.0.5993.70 is too old'),
      hint: expect.stringContaining('install'),
    })
    expect(await readdir(scratch)).toEqual([])
  })

  it('leaves no files when it is aborted before it starts', async () => {
    const scratch = await captureFolder()
    const { signal, abort } = abortable()
    const starting = Browser.launch({ scratch, beginFrame: false, limits: defaultBrowserLimits, signal })
    abort()
    await expect(starting).rejects.toThrow('enough')
    expect(await readdir(scratch)).toEqual([])
  })

  it('ends immediately when the work is aborted', async () => {
    const scratch = await captureFolder()
    const { signal, abort } = abortable()
    const page = particle(counterCells, `${showNumber}; ${timeline('show(Math.round(t * 10))', 9)}`, {
      duration: 9,
    })
    await expect(play([page], { frames: 90, threads: 2, scratch, signal, onFrame: abort })).rejects.toThrow(
      'enough',
    )
    expect(await readdir(scratch)).toEqual([])
  })
})

function abortable() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort(new Error('enough')) }
}

/** Kills all processes of the browsers with profiles in this folder and returns their number. */
function killBrowsers(scratch: string): number {
  let ended = 0
  for (const pid of readdirSync('/proc').map(Number).filter(Boolean)) {
    let command = ''
    try {
      command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    } catch {
      // The process has ended already.
    }
    if (!command.includes(`--user-data-dir=${scratch}`)) continue
    try {
      process.kill(pid, 'SIGKILL')
      ended += 1
    } catch {
      // The process ended with an earlier one.
    }
  }
  return ended
}
