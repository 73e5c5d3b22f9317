import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { runChild } from '../../../src/engines/ffmpeg/child.ts'
import { queryFfprobe } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { inputArgs, runFfmpeg } from '../../../src/engines/ffmpeg/run.ts'
import { ManualClock } from '../../daemon/manual-clock.ts'
import { replaceFfmpeg } from './replace-ffmpeg.ts'
import { scratchFolder } from './generate-media.ts'

const folder = await scratchFolder()
const at = (name: string) => join(folder, name)

/** An endless picture at the speed of the clock. */
const endless = ['-re', '-f', 'lavfi', '-i', 'testsrc2=size=64x36:rate=25', '-f', 'null', '-']

// Programs are stopped by signals and wait for named pipes.
describe.skipIf(process.platform === 'win32')('a program without progress is ended', () => {
  const pipe = at('pipe.mp4')
  beforeAll(() => promisify(execFile)('mkfifo', [pipe]))

  test('ffmpeg that is stopped, although it has reported before', async () => {
    using _ = await replaceFfmpeg(at('pid'), `echo $$ > '${at('ffmpeg.pid')}'; exec "$FFMPEG" "$@"`)
    let isStopped = false
    const stopped = runFfmpeg({
      args: endless,
      timeoutMs: 60_000,
      stallMs: 600,
      durationMs: 3_600_000,
      onProgress: () => {
        if (isStopped) return
        isStopped = true
        execFile('/bin/sh', ['-c', `kill -STOP $(cat '${at('ffmpeg.pid')}')`])
      },
    })
    await expect(stopped).rejects.toMatchObject({
      code: 6402,
      retryable: true,
      message: expect.stringMatching(/^ffmpeg made no progress for \d+ s$/) as string,
    })
    expect(isStopped).toBe(true)
  })

  test('ffmpeg that waits for a named pipe', async () => {
    const waiting = runFfmpeg({
      args: [...inputArgs(pipe), at('never.mp4')],
      timeoutMs: 60_000,
      stallMs: 600,
    })
    await expect(waiting).rejects.toMatchObject({ code: 6402, message: expect.stringContaining('progress') })
  })

  test('ffprobe that waits for a named pipe', async () => {
    const waiting = queryFfprobe(pipe, ['-show_format'], { timeoutMs: 60_000, stallMs: 600 })
    await expect(waiting).rejects.toMatchObject({
      code: 6402,
      message: expect.stringMatching(/^ffprobe made no progress for \d+ s$/) as string,
    })
  })
})

test('a program that is at work without output is ended only by its time limit', async () => {
  const spinning = runChild({
    ...{ file: process.execPath, args: ['-e', 'for (;;);'] },
    ...{ timeoutMs: 1500, stallMs: 600, graceMs: 100 },
  })
  const ended = await spinning
  expect(ended.timedOut).toBe(true)
  expect(ended.stalledMs).toBeUndefined()
})

test('a program that waits for this process is not ended', async () => {
  const clock = new ManualClock()
  let isFirst = true
  /** Makes the program wait for 30 checks, which is five times the bound. */
  const delayFirst = async () => {
    for (let check = 0; check < 30; check += 1) {
      while (clock.pendingCount === 0) await new Promise(setImmediate)
      await clock.advance(10_000)
    }
  }
  const ended = await runChild({
    ...{ file: process.execPath, timeoutMs: 60_000, clock },
    args: ['-e', 'process.stdout.write(Buffer.alloc(2 ** 22))'],
    onOutput: () => {
      const delay = isFirst ? delayFirst() : undefined
      isFirst = false
      return delay
    },
  })
  expect(ended).toMatchObject({ code: 0, timedOut: false })
  expect(ended.stalledMs).toBeUndefined()
})
