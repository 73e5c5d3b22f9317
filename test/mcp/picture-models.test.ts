import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCanvas } from '@napi-rs/canvas'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testdata } from '../engines/ffmpeg/generate-media.ts'
import { drawFootage, type Caption } from '../footage/text.ts'
import { described, drawnImage, type, type GivenImage } from '../material-describe/describing-model.ts'
import { ffmpeg } from '../video-split-screen/media.ts'
import { balance, startAgentSession, type AgentSession, type ConnectedAgent } from './agent-session.ts'
import { promptCalls } from './call-until-done.ts'
import { parseToolResult, type ToolResponse } from './stdio-client.ts'

// Removes watermarks by the calls of the prompt in order, and describes images, with models from a mirror.

const mirror = testdata('models')
let agentSession: AgentSession

beforeAll(async () => {
  agentSession = await startAgentSession()
  // Settings of the service, which the first client starts.
  await mkdir(agentSession.dataDir, { recursive: true })
  const settings = { models_mirror: mirror }
  await writeFile(join(agentSession.dataDir, 'reelwright.config.json'), JSON.stringify(settings))
})
afterAll(() => agentSession[Symbol.asyncDispose]())

const size = { width: 320, height: 180, fps: 25 }
const line = { size: 20, fill: 'white', outline: 'black' }
const captions: readonly [Caption, Caption, Caption] = [
  { ...line, text: 'Subtitle one here', x: 160, y: 160, first: 3, end: 14 },
  { ...line, text: 'Another line', x: 160, y: 160, first: 16, end: 27 },
  { ...line, text: 'CHANNEL', x: 64, y: 22, first: 0, end: 30 },
]

interface Listed {
  readonly id: string
  readonly y: number
}

test('remove-watermark: the steps detect, show, clean and check a video', async ({ skip, task }) => {
  if (mirror === undefined) skip('there is no model of the text detector')
  const file = 'talk.mp4'
  await drawFootage(join(agentSession.workspace, file), {
    ...size,
    frames: 30,
    background: 'still',
    captions,
  })
  const agent = await agentSession.shared('modern')
  const call = async (name: string, args: object) => {
    const request = { name, arguments: { ...args } }
    let response = parseToolResult(await agent.client.callTool(request, { timeout: task.timeout }))
    while (['queued', 'processing'].includes(String(response.data['status']))) {
      const { task_id } = response.data
      const { save_to } = request.arguments as { save_to?: unknown }
      response = await agent.call('get_task', {
        task_id,
        wait_seconds: 45,
        ...(save_to !== undefined && { save_to }),
      })
    }
    const isWrong = response.isError || response.data['status'] === 'failed'
    expect([name, isWrong ? response.text : 'answered']).toEqual([name, 'answered'])
    return response
  }
  const steps = await promptCalls(agent, 'remove-watermark', { file, how: 'filled' })
  expect(steps.map(([name]) => name)).toEqual([
    ...['inspect_file', 'video_purify', 'inspect_file', 'video_purify', 'inspect_file', 'video_purify'],
  ])
  const [inspectStep, detect, show, clean, after, remaining] = await (async () => {
    const responses = []
    for (const [index, [name, args]] of steps.entries()) {
      // Before cleaning, the agent protects the name of the channel.
      if (index === 3) await keepChannel(join(agentSession.workspace, 'cleaning/regions.json'))
      responses.push(await call(name, args))
    }
    return responses
  })()
  expect(inspectStep?.result.content[1]).toMatchObject({ type: 'image', mimeType: 'image/jpeg' })
  expect(detect?.data).toMatchObject({ status: 'completed', output: { regions_found: 3 } })
  expect(detect?.data['next_step']).toContain('inspect_file')
  expect(show?.result.content[1]).toMatchObject({ type: 'image', mimeType: 'image/jpeg' })
  expect(show?.data['regions']).toMatchObject({
    ...{ regions: 3, protect_regions: 0, not_shown: { count: 0 } },
    // One subtitle on each frame, the channel name on both.
    frames: [
      { ids: [expect.any(String), expect.any(String)] },
      { ids: [expect.any(String), expect.any(String)] },
    ],
  })
  expect(clean?.data).toMatchObject({
    status: 'completed',
    files: [{ path: expect.stringContaining('clean.mp4') }],
  })
  expect(after?.data['regions']).toMatchObject({
    ...{ regions: 3, protect_regions: 1 },
    frames: [{ protect_ids: [expect.any(String)] }, { protect_ids: [expect.any(String)] }],
    notes: [expect.stringContaining('another file')],
  })
  expect(after?.data['next_step']).toMatch(/is rejected for this one/)
  expect(remaining?.data, 'only the protected region is detected again').toMatchObject({
    output: { regions_found: 1 },
  })
})

/** Edits a detection like an agent: protects the regions at the top. Protection takes precedence over removal. */
async function keepChannel(path: string): Promise<void> {
  const found = JSON.parse(await readFile(path, 'utf8')) as { regions: readonly Listed[] }
  const channel = found.regions.filter(({ y }) => y < 0.5)
  const protect_regions = channel.map((region) => ({ ...region, id: `keep-${region.id}` }))
  await writeFile(path, JSON.stringify({ ...found, protect_regions }))
}

test('boxes drawn by hand are shown on an image, and their content is removed', async () => {
  const { workspace } = agentSession
  const canvas = createCanvas(240, 160)
  const pen = canvas.getContext('2d')
  const gradient = pen.createLinearGradient(0, 0, 240, 160)
  gradient.addColorStop(0, 'navy')
  gradient.addColorStop(1, 'teal')
  pen.fillStyle = gradient
  pen.fillRect(0, 0, 240, 160)
  pen.fillStyle = 'white'
  pen.fillRect(180, 16, 40, 24)
  await writeFile(join(workspace, 'photo.png'), canvas.toBuffer('image/png'))
  const box = { x: 0.74, y: 0.09, w: 0.19, h: 0.17 }
  await writeFile(join(workspace, 'boxes.json'), JSON.stringify({ regions: [{ id: 'logo', ...box }] }))
  const agent = await agentSession.shared('legacy')
  const { data, result } = await agent.call('inspect_file', { file: 'photo.png', regions: 'boxes.json' })
  expect(data['regions']).toMatchObject({ regions: 1, frames: [{ seconds: 0, ids: ['logo'] }] })
  expect(result.content[1]?.type).toBe('image')
  expect(data['next_step']).toMatch(/image_purify with purify_scope region/)
  const cleaned = await agent.call('image_purify', {
    ...{
      file_id: 'photo.png',
      purify_scope: 'region',
      regions: [box],
      wait_seconds: 45,
      save_to: 'clean.png',
    },
  })
  expect(cleaned.data).toMatchObject({ status: 'completed' })
  // No white pixel remains in the region of the logo.
  const raw = ['-f', 'rawvideo', '-pix_fmt', 'gray', 'pipe:1']
  const pixels = await ffmpeg('-i', join(workspace, 'clean.png'), '-vf', 'crop=46:28:178:14', ...raw)
  expect(Math.max(...pixels)).toBeLessThan(140)
})

test('regions that cannot be drawn are reported with the fix', async () => {
  const { workspace } = agentSession
  await agentSession.createClip('testsrc2=s=160x90:r=10', 'clip.mp4', 1)
  const agent = await agentSession.shared('modern')
  const inspect = async (more: object) =>
    (await agent.call('inspect_file', { file: 'clip.mp4', ...more })).text
  await writeFile(join(workspace, 'wrong.json'), '{"regions": [{"x": 0.9, "y": 0, "w": 0.2, "h": 0.1}]}')
  expect(await inspect({ regions: 'wrong.json' })).toMatch(
    /^6016: wrong\.json .*regions\[0\]\.w \(#1\): x \+ w must be at most 1/,
  )
  expect(await inspect({ regions: 'clip.mp4' })).toMatch(/^6014: .*clip\.mp4 is not text/)
  expect(await inspect({ regions: 'none.json' })).toMatch(/^6004: There is no none\.json/)
  expect(await inspect({ at: [0.5], preview: 'waveform' })).toMatch(/^6016: at: selects a frame, not sound/)
  expect(await inspect({ regions: 'wrong.json', preview: 'contact_sheet' })).toMatch(/^6016: preview: /)
  const inspectRegions = async (regions: readonly object[]) => {
    await writeFile(join(workspace, 'regions-under-test.json'), JSON.stringify({ regions }))
    return (await agent.call('inspect_file', { file: 'clip.mp4', regions: 'regions-under-test.json' })).data
  }
  expect((await inspectRegions([]))['next_step']).toMatch(/^The list is empty/)
  expect(await inspectRegions([{ x: 0.1, y: 0.1, w: 0.1, h: 0.1, start: 5 }])).toMatchObject({
    regions: { not_shown: { count: 1 }, notes: [expect.stringContaining('after the end of the video')] },
  })
})

/** A question about images, as an agent reads it. */
interface ImageQuestion {
  readonly question_id: string
  readonly input: { readonly images: { readonly rows: readonly (readonly [id: number])[] } }
  readonly images?: number
  readonly problems?: readonly string[]
}

const questionsOf = ({ data }: ToolResponse): ImageQuestion[] =>
  ((data['questions'] ?? []) as { readonly questions: readonly ImageQuestion[] }[]).flatMap(
    ({ questions }) => questions,
  )

const idsOf = ({ input }: ImageQuestion): number[] => input.images.rows.map(([id]) => id)

/** Answers all questions until the task has ended. */
async function answerAll(
  agent: ConnectedAgent,
  first: ToolResponse,
  view: (id: number, call: number) => GivenImage | undefined,
) {
  const asked: ImageQuestion[] = []
  let reply = first
  for (let call = 0; ['queued', 'processing'].includes(String(reply.data['status'])); call += 1) {
    const { task_id } = reply.data
    const questions = questionsOf(reply)
    asked.push(...questions)
    const answers = questions.map((question) => ({
      question_id: question.question_id,
      answer: { images: idsOf(question).flatMap((id) => view(id, call) ?? []) },
    }))
    reply =
      answers.length > 0
        ? await agent.call('answer_questions', { task_id, answers, wait_seconds: 45 })
        : await agent.call('get_task', { task_id, wait_seconds: 45 })
  }
  return { reply, asked }
}

describe.skipIf(mirror === undefined)('an agent describes images (REELWRIGHT_TESTDATA)', () => {
  let agent: ConnectedAgent
  beforeAll(async () => {
    agent = await agentSession.shared('modern')
    const photos = join(agentSession.workspace, 'photos')
    await mkdir(photos)
    for (let number = 1; number <= 6; number += 1)
      await writeFile(join(photos, `${number}.png`), drawnImage(number, 160, 120))
  })
  const files = (...numbers: number[]) => numbers.map((number) => ({ file_id: `photos/${number}.png` }))

  test('four at a time, sees them, and reads which to use', async () => {
    const first = await agent.call(type, { input: files(1, 2, 3, 4, 5), wait_seconds: 45 })
    expect(first.data['questions']).toMatchObject([{ kind: 'describe_images' }])
    const [question] = questionsOf(first)
    expect(question).toMatchObject({ images: 4 })
    const { reply, asked } = await answerAll(agent, first, (id) =>
      described(id, { mark: 10 * id, added: id === 2 ? ['logo'] : [] }),
    )
    expect(asked.map(idsOf)).toEqual([[1, 2, 3, 4], [5]])
    expect(reply.data).toMatchObject({
      status: 'completed',
      output: { describer: 'agent', usage: { images: 5, total: 5 } },
    })
    const { next_step: next } = reply.data
    expect(next).toContain('photos/5.png (50), photos/4.png (40)')
    expect(next).toContain('photos/2.png (watermark)')
  })

  test('by names alone, and is asked again for the image that it forgot', async () => {
    const input = ['photos/6.png', 'photos/2.png', 'photos/3.png']
    const first = await agent.call(type, { input, wait_seconds: 45 })
    const { reply, asked } = await answerAll(agent, first, (id, call) =>
      id === 2 && call === 0 ? undefined : described(id),
    )
    expect(reply.data['status']).toBe('completed')
    expect(asked.map(idsOf)).toEqual([[1, 2, 3], [2]])
  })

  test('without a usable answer: the task fails and is refunded', async () => {
    const before = await balance(agent)
    const first = await agent.call(type, { input: files(6), wait_seconds: 45 })
    const { reply, asked } = await answerAll(agent, first, (id) => described(id, { desc: 'A boat.' }))
    expect(asked[1]?.problems).toEqual(['image 1: desc is not in Simplified Chinese'])
    expect(reply.data).toMatchObject({
      status: 'failed',
      error: { code: 6401, message: expect.stringMatching(/^input\[0\]: .*no usable answer/) },
    })
    expect(await balance(agent)).toBe(before)
  })
})
