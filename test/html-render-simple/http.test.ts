import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TaskRecord } from '../../src/contract/task.ts'
import { checkParticle } from '../../tools/check-particle/contract.ts'
import { htmlRenderSimple } from '../../tools/html-render-simple/contract.ts'
import { serve, type Served } from '../contract/serve.ts'
import { h264, generateMedia, picture, tone } from '../engines/ffmpeg/generate-media.ts'
import { api, pollUntil } from '../service/api.ts'
import { findProcesses } from '../service/processes.ts'
import { streams } from '../video-split-screen/media.ts'
import { htmlParticle } from './render.ts'
import { writeFile } from 'node:fs/promises'
import { sampleCases, soakSize } from '../soak-size.ts'

// Both operations over HTTP, with real workers and files.

let service: Served
let calls: ReturnType<typeof api>
/** Ids of files by their names in the examples. */
const ids = new Map<string, string>()

const example = async (): Promise<string> => {
  const prompt = await readFile(join(import.meta.dirname, '../../prompts/write-particle.md'), 'utf8')
  return /```html\n([\s\S]*?)```/.exec(prompt)?.[1] ?? ''
}

beforeAll(async () => {
  service = await serve()
  calls = api(service)
  const talkPath = await generateMedia(join(service.folder, 'talk.mp4'), [...picture(3), ...tone(3), ...h264])
  ids.set('talk.mp4', (await calls.upload('talk.mp4', new Uint8Array(await readFile(talkPath)))).data.file_id)
  // With the tall canvas of the examples.
  const tall = (await example()).replace(
    /data-width="1920" data-height="1080"/,
    'data-width="1080" data-height="1920"',
  )
  ids.set('title.html', (await calls.upload('title.html', tall)).data.file_id)
})
afterAll(() => service[Symbol.asyncDispose]())

/** An example of a render with few frames per second and file ids instead of names. */
function withFewFrames({
  composition,
  ...input
}: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return filled({ ...input, composition: { ...(composition as object), fps: 5 } })
}

/** An example's input with file ids instead of names. */
function filled(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  let text = JSON.stringify(input)
  for (const [name, id] of ids) text = text.replaceAll(JSON.stringify(name), JSON.stringify(id))
  return JSON.parse(text) as Record<string, unknown>
}

async function done(type: string, input: unknown): Promise<TaskRecord> {
  const created = await calls.create(type, input)
  expect([created.code, created.msg]).toEqual([200, 'success'])
  return (await calls.ended(type, created.data.task_id)).data
}

async function download(fileId: unknown, name: string): Promise<string> {
  const path = join(service.folder, name)
  await writeFile(path, await calls.download(String(fileId)))
  return path
}

describe('html_render_simple', () => {
  /** Renders an example with few frames, and expects its output. Returns the path of the result. */
  const renderExample = async (index: 0 | 1, expected: Readonly<Record<string, unknown>>, name: string) => {
    const input = withFewFrames(htmlRenderSimple.examples[index].input)
    const { status, output_result: output } = await done('html_render_simple', input)
    expect([status, output]).toEqual(['completed', expect.objectContaining(expected)])
    return await download(output?.['file_id'], name)
  }

  /** Both examples. */
  const examples = {
    async 'renders its first example: a caption over a talk'() {
      const expected = { duration: 3, video_size: { width: 1280, height: 720 } }
      expect(await streams(await renderExample(0, expected, 'caption.mp4'))).toMatchObject([
        { codec_name: 'h264', width: 1280, height: 720, nb_read_frames: '15' },
        { codec_name: 'aac', sample_rate: '48000' },
      ])
    },
    async 'renders its second example, with the particle of the prompt, as a transparent layer'() {
      const expected = { duration: 2, video_size: { width: 1080, height: 1920 } }
      expect(await streams(await renderExample(1, expected, 'title.webm'))).toMatchObject([
        { codec_name: 'vp8', width: 1080, height: 1920, nb_read_frames: '10', tags: { alpha_mode: '1' } },
      ])
    },
  }

  it.each(sampleCases(Object.entries(examples), 1))('%s', async (_, check) => await check())

  const canvas = { video_size: { width: 320, height: 180 }, assets: { file_id: {} }, tracks: [] }
  const beat = { start: 0, duration: 1 }
  const second = { ...beat, id: 'second', track_index: 1 }
  const failures = [
    {
      what: 'the particle and the line',
      beats: [
        { ...beat, track_index: 0, html: htmlParticle({}, '<p>x</p>') },
        { ...second, html: htmlParticle({}, '<p>x</p>\n<script>\nundefined.property\n</script>') },
      ],
      message: /^beats\[1\] \(second\): line 4: .*undefined/,
    },
    {
      what: 'the problems of all particles',
      beats: [
        { ...beat, track_index: 0, html: htmlParticle({}, '<img src="a.png">\n<video></video>') },
        { ...second, html: '<p>no template</p>' },
      ],
      message:
        /^beats\[0\] \(test\): line 2: .*; line 3: <video> .*\. beats\[1\] \(second\): there is no <template>/,
    },
  ]

  it.each(failures)('fails with $what, and refunds the credits', async ({ beats, message }) => {
    const before = await calls.balance()
    const { status, output_result: output } = await done('html_render_simple', {
      composition: { ...canvas, beats },
      render: { output_format: 'webm' },
    })
    expect([status, output]).toEqual([
      'failed',
      {
        error: expect.objectContaining({
          code: 6016,
          message: expect.stringMatching(message),
          retryable: false,
        }),
      },
    ])
    expect(await calls.balance()).toBe(before)
  })

  it('leaves no processes when it is stopped', async () => {
    const scratch = join(service.folder, 'data', 'scratch')
    const moving = htmlParticle({ duration: 600 }, '<p id="p">x</p>', 'p.style.translate = `${t}px`')
    const composition = {
      video_size: { width: 320, height: 180 },
      assets: { file_id: {} },
      tracks: [],
      beats: [{ start: 0, duration: 600, track_index: 0, html: moving }],
    }
    const { data: task } = await calls.create('html_render_simple', {
      composition,
      render: { output_format: 'qtrle' },
    })
    const programs = async () => [
      ...(await findProcesses('chrom', scratch)),
      ...(await findProcesses('ffmpeg', scratch)),
    ]
    await pollUntil(programs, (pids) => pids.length > 2)
    expect(await calls.stop(task.task_id)).toMatchObject({ code: 200, data: { status: 'failed' } })
    // Includes processes that the browser was about to start when it was stopped.
    await pollUntil(programs, (running) => running.length === 0)
  })
})

describe('check_particle', () => {
  // In `npm test` only the second one: its file is the particle of the prompt.
  it.each(checkParticle.examples.slice(soakSize(1, 0)))(
    '$title: passes and returns a sheet of moments',
    async ({ input }) => {
      const { status, output_result: output } = await done('check_particle', filled(input))
      expect([status, output]).toEqual(['completed', expect.objectContaining({ ok: true, problems: [] })])
      const path = await download(output?.['file_id'], 'moments.png')
      expect(await streams(path)).toMatchObject([{ codec_name: 'png', width: expect.any(Number) as number }])
    },
  )

  it('costs nothing', async () => {
    const quote = await calls.send<{ credits: number }>('/task/check_particle/quote', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(filled(checkParticle.examples[0].input)),
    })
    expect(quote.data.credits).toBe(0)
  })
})
