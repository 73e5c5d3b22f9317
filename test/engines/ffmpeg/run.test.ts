import { readdir, readFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MediaError } from '../../../src/contract/errors.ts'
import { inputArgs, runFfmpeg } from '../../../src/engines/ffmpeg/run.ts'
import { h264, generateMedia, picture, scratchFolder } from './generate-media.ts'

const folder = await scratchFolder()
const at = (name: string) => join(folder, name)

/** An endless picture, generated at full speed. */
const endless = ['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=25']

test('runs a job in its folder, with rising progress that ends at 100', async () => {
  const input = await generateMedia(at('in.mp4'), [...picture(2), ...h264])
  const percents: number[] = []
  await runFfmpeg({
    args: [...inputArgs(input), ...h264, 'out.mp4'],
    cwd: folder,
    timeoutMs: 20_000,
    durationMs: 2000,
    onProgress: (percent) => percents.push(percent),
  })
  expect((await readFile(at('out.mp4'))).length).toBeGreaterThan(1000)
  expect(percents.at(-1)).toBe(100)
  expect(percents).toEqual([...new Set(percents)].toSorted((a, b) => a - b))
})

test('a job that exceeds its time limit ends with a timeout error', async () => {
  const late = runFfmpeg({ args: [...endless, '-f', 'null', '-'], timeoutMs: 500 })
  await expect(late).rejects.toMatchObject({
    code: 6402,
    message: 'ffmpeg did not finish within 1 s',
    hint: expect.stringContaining('a shorter range') as string,
  })
})

test('an abort during a run rejects with its reason', async () => {
  const abort = new AbortController()
  const reason = new Error('stopped')
  const stopped = runFfmpeg({
    args: [...endless, '-f', 'null', '-'],
    timeoutMs: 20_000,
    durationMs: 3_600_000,
    signal: abort.signal,
    onProgress: () => abort.abort(reason),
  })
  await expect(stopped).rejects.toBe(reason)
})

test('a failure has a plain message, and the log as its cause', async () => {
  const missing = await runFfmpeg({ args: ['-f', 'nothing', '-i', 'x', 'y'], timeoutMs: 5000 }).catch(
    (error: unknown) => error,
  )
  expect(missing).toBeInstanceOf(MediaError)
  expect(missing).toMatchObject({ code: 6500, message: 'ffmpeg exited with an error' })
  expect(String((missing as MediaError).cause)).toContain('nothing')
})

test('a damaged input is distinguished from other failures', async () => {
  const damaged = runFfmpeg({ args: [...inputArgs(import.meta.filename), at('never.mp4')], timeoutMs: 5000 })
  await expect(damaged).rejects.toMatchObject({ code: 6017, retryable: false })
  expect(await readdir(folder)).not.toContain('never.mp4')
})

test('any file name is one argument after -i and never an option', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (name) => {
      const args = inputArgs(`${name}.mp4`, ['-ss', '1'])
      const last = args.at(-1) ?? ''
      expect(args.at(-2)).toBe('-i')
      expect(args.indexOf('-ss')).toBe(args.length - 4)
      expect(last.startsWith('file:') && isAbsolute(last.slice('file:'.length))).toBe(true)
      expect(args[args.indexOf('-protocol_whitelist') + 1]).toBe('file')
    }),
  )
})

test('no container that can refer to another file is allowed', () => {
  const allowed = (inputArgs('a.mp4')[3] ?? '').split(',')
  expect(allowed).toContain('mov')
  for (const format of [
    'hls',
    'dash',
    'concat',
    'image2',
    'sdp',
    'rtsp',
    'lavfi',
    'svg_pipe',
    'tee',
    'applehttp',
  ]) {
    expect(allowed).not.toContain(format)
  }
})
