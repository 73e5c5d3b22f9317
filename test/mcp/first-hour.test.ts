import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RegionOverview } from '../../src/mcp/region-overview.ts'
import { testdata } from '../engines/ffmpeg/generate-media.ts'
import { drawFootage, type Caption } from '../footage/text.ts'
import { ffmpeg, streams } from '../video-split-screen/media.ts'
import { startAgentSession, type AgentSession, type ConnectedAgent } from './agent-session.ts'
import { callUntilDone } from './call-until-done.ts'

// Calls as an agent writes them that sees only the tools: short, with everyday words.

const mirror = testdata('models')
let agentSession: AgentSession
let agent: ConnectedAgent

beforeAll(async () => {
  agentSession = await startAgentSession()
  const { workspace, dataDir } = agentSession
  await mkdir(dataDir, { recursive: true })
  await writeFile(join(dataDir, 'reelwright.config.json'), JSON.stringify({ models_mirror: mirror }))
  await agentSession.createClip('testsrc2=s=320x180:r=30000/1001', 'cam1.mp4', 1)
  await agentSession.createClip('smptebars=s=320x180:r=25', 'cam2.mp4', 1)
  await mkdir(join(workspace, 'shoot', 'raw'), { recursive: true })
  await agentSession.createClip('smptebars=s=160x90:r=10', 'shoot/b.mp4', 1)
  await ffmpeg('-f', 'lavfi', '-i', 'sine=440:d=1', join(workspace, 'shoot', 'a.wav'))
  agent = await agentSession.connect('modern')
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await agentSession[Symbol.asyncDispose]()
})

const resultPath = (data: Record<string, unknown>) => (data['files'] as { path: string }[])[0]?.path ?? ''

test('a folder is listed', async () => {
  const { data, text: listing } = await agent.call('inspect_file', { file: 'shoot' })
  expect(listing).toContain('media_files:\n- name a.wav, kind audio\n- name b.mp4, kind video\n')
  expect(data).toMatchObject({
    kind: 'folder',
    media_files: [
      { name: 'a.wav', kind: 'audio' },
      { name: 'b.mp4', kind: 'video' },
    ],
    folders: ['raw'],
    next_step: 'Use the path of a file, such as shoot/a.wav.',
  })
  // A folder alone is named before the number of clips.
  for (const clips of [['shoot', 'cam1.mp4'], 'shoot', ['shoot'], [{ file_id: 'shoot' }]]) {
    const { text } = await agent.call('video_split_screen', { clips })
    expect(text).toMatch(
      /^6016: clips\[0\]\.file_id: shoot is a folder\. It contains a\.wav, b\.mp4\. Fix: Name one of them, such as shoot\/a\.wav\./,
    )
  }
  for (const file_id of ['cam1.mp4', 'missing.mp4', '../..']) {
    const { text } = await agent.call('video_split_screen', { clips: [{ file_id }] })
    expect(text).toMatch(/^6016: clips: at least 2 items, 1 given/)
  }
  expect((await agent.call('inspect_file', { file: '../..' })).text).toMatch(
    /^6016: .* outside the allowed folders/,
  )
})

test('at without regions shows one frame with a grid', async () => {
  const { data, result } = await agent.call('inspect_file', { file: 'cam1.mp4', at: [0.5] })
  expect(data).toMatchObject({
    frame: { at: 0.5 },
    next_step: expect.stringMatching(/tenths .* call video_purify/),
  })
  const image = result.content.find(({ type }) => type === 'image')
  const path = join(agentSession.workspace, 'frame.jpg')
  await writeFile(path, Buffer.from(image?.type === 'image' ? image.data : '', 'base64'))
  const [picture] = await streams(path)
  expect(picture).toMatchObject({ width: 1280, codec_name: 'mjpeg' })
  expect((await agent.call('inspect_file', { file: 'cam1.mp4', at: 7 })).text).toMatch(
    /^6016: at: 7 is not before/,
  )
})

test.each<[string, object, RegExp]>([
  [
    'video_purify',
    { file_id: 'cam1.mp4', purify_scope: 'region', regions: [{ x: 32, y: 18, w: 128, h: 36 }] },
    /^6016: regions\[0\] \(x 32, y 18, w 128, h 36\): in pixels, .* cam1\.mp4 has 320x180 pixels\. Fix: Use regions\[0\]: \{"x":0\.1,"y":0\.1,"w":0\.4,"h":0\.2\}\./,
  ],
  [
    'video_purify',
    { file_id: 'cam1.mp4', purify_scope: 'region', regions: [{ x: 10, y: 80, w: 80, h: 15 }] },
    /^6016: .*: in pixels or percent, .* Fix: If these are percent, use regions\[0\]: \{"x":0\.1,"y":0\.8,"w":0\.8,"h":0\.15\}\. If pixels, use regions\[0\]: \{"x":0\.0313,"y":0\.4444,/,
  ],
  [
    'video_split_screen',
    { clips: ['cam2.mp4', { file_id: 'cam1.mp4', crop: { x: 160, y: 0, width: 160, height: 180 } }] },
    /^6016: clips\[1\]\.crop .* Fix: Use clips\[1\]\.crop: \{"x":0\.5,"y":0,"width":0\.5,"height":1\}\./,
  ],
  [
    'video_purify',
    { file_id: 'cam1.mp4', regions: [{ x: 0.1, y: 0.1, w: 0.2, h: 0.2 }] },
    /^6016: regions: .* Fix: Add purify_scope: region\./,
  ],
  [
    'audio_tts_zero_shot',
    { text: 'Hallo', voice: 'shoot/a.wav', language: 'German' },
    /^6016: text_lang: .*"German" given\. Fix: German is not offered, so tell the user\. Offered: zh-CN \(Chinese\)/,
  ],
  [
    'music_visualizer',
    { file_id: 'shoot/a.wav', template_id: 'bars', c1: 'blurple' },
    /^6016: c1: must have the form #RRGGBB, "blurple" given\. Fix: Use #RRGGBB or a CSS colour name/,
  ],
])('%s with %j is rejected with the correction', async (tool, args, expected) => {
  const { isError, text } = await agent.call(tool, args as Record<string, unknown>)
  expect([isError, text]).toEqual([true, expect.stringMatching(expected)])
})

test('a timeline needs only clips', async () => {
  const { data, text } = await callUntilDone(agent, 'video_timeline_render', {
    clips: ['cam1.mp4', { file: 'cam2.mp4', start: '0:00.5', speed: 0.5 }],
    audio: [{ material: 'shoot/a.wav', volume: 0.3 }],
  })
  expect([data['status'], text]).toEqual(['completed', expect.any(String)])
  expect(data['assumed']).toEqual(
    expect.arrayContaining([
      'video_size is 320x180, that of cam1.mp4.',
      expect.stringMatching(/^video_rate is 30: the rate of .* is 29\.97,/),
      expect.stringMatching(/keeps its pitch/),
    ]),
  )
  expect(data['next_step']).toMatch(/video_rate is 30/)
  expect(await streams(resultPath(data))).toMatchObject([
    { width: 320, height: 180, r_frame_rate: '30/1' },
    { codec_name: 'aac' },
  ])
})

test('errors of a timeline name its clips', async () => {
  const late = await agent.call('video_timeline_render', { clips: [{ clip_st: 10, file: 'cam1.mp4' }] })
  expect(late.text).toMatch(
    /^6016: clips\[0\]\.clip_st: 10 s is after the end of cam1\.mp4, 1(\.\d+)? s\. Fix: Use less/,
  )
  const far = { clips: ['cam1.mp4', { file: 'cam2.mp4', clip_st: 0, clip_ed: 9 }] }
  const { text: tooLong } = await callUntilDone(agent, 'video_timeline_render', far)
  expect(tooLong).toMatch(/clips\[1\]/)
  expect(tooLong).not.toMatch(/track_timeline/)
  const closed = { clips: ['cam1.mp4', { file: 'cam3.mp4', clip_st: 0, clip_ed: 1 }] }
  expect((await agent.call('video_timeline_render', closed)).text).toMatch(/^6004: clips\[1\]\.material: /)
})

test('a timeline with a missing file names its clip', async () => {
  const { text } = await agent.call('video_timeline_render', { clips: ['cam1.mp4', 'cam3.mp4'] })
  expect(text).toMatch(/^6004: clips\[1\]\.material: There is no cam3\.mp4\. Fix: Did you mean cam/)
})

test('music_visualizer uses the sound of a video; the HTTP contract accepts only audio', async () => {
  const { data, text } = await callUntilDone(agent, 'music_visualizer', {
    ...{ video: 'cam1.mp4', template: 'bars', resolution: '160x90', c1: 'orange' },
  })
  expect([data['status'], text]).toEqual(['completed', expect.any(String)])
  expect(data['assumed']).toEqual(expect.arrayContaining(['The sound of cam1.mp4 is used.']))
  const [video, sound] = await streams(resultPath(data))
  expect(video).toMatchObject({ width: 160, height: 90 })
  expect(sound).toMatchObject({ codec_name: 'aac' })
  const stored = await agent.call('upload_file', { path: 'cam1.mp4' })
  const again = await callUntilDone(agent, 'music_visualizer', {
    ...{ file_id: stored.data['file_id'], template_id: 'ring', resolution: '160x90' },
  })
  expect(again.data).toMatchObject({ status: 'completed', assumed: ['The sound of cam1.mp4 is used.'] })
})

test.each<[object, object, string[]]>([
  [{ layout_id: 'side by side' }, { x: 0.5, y: 0 }, ['Layout: 2 columns (250100).']],
  [
    { layout: 'stacked' },
    { x: 0, y: 0.5 },
    [
      'layout was read as layout_mode.',
      'layout_mode: "stacked" was read as rows.',
      'Layout: 2 rows (200100).',
    ],
  ],
])('a split screen arranges its clips by name: %j', async (named, corner, assumed) => {
  const { data } = await callUntilDone(agent, 'video_split_screen', {
    ...{ clips: ['cam1.mp4', 'cam2.mp4'], output_ratio: '16:9', quality: '720p', ...named },
  })
  expect(data).toMatchObject({ status: 'completed', assumed })
  const { layout } = data['output'] as { layout: { slots: { destination_rect: object }[] } }
  const rect = layout.slots[1]?.destination_rect
  expect(rect).toMatchObject(
    Object.fromEntries(
      Object.entries(corner).map(([axis, at]) => [axis, at === 0 ? 0 : expect.closeTo(Number(at), 1)]),
    ),
  )
})

test.each<[string, Record<string, unknown>, string]>([
  ['music_visualizer', { file_id: 'cam1.mp4', template_id: 'ring', resolution: 'huge' }, 'resolution: '],
  ['music_visualizer', { file_id: 'cam1.mp4', template_id: 'ring', resolution: 9 }, 'resolution: '],
  ['video_timeline_render', { clips: ['cam1.mp4'], video_size: 'huge' }, 'video_size: '],
  ['check_particle', { html: '<p>x</p>', video_size: '16:9' }, 'video_size: '],
])('%s %j is no size, and the error names the forms of sizes', async (name, args, start) => {
  const { text } = await agent.call(name, args)
  expect(text).toMatch(new RegExp(`^6016: ${start}.* Fix: Use .*1920.*1080.* vertical \\(1080x1920\\).* 4K`))
})

test('a split screen states which layout was selected and what its defaults cut away', async () => {
  const { data } = await callUntilDone(agent, 'video_split_screen', {
    clips: ['cam1.mp4', 'cam2.mp4'],
    ratio: 'portrait',
    quality: '720p',
  })
  expect(data['next_step']).toMatch(
    /ratio was read as output_ratio\. .*Layout: 2 rows \(200100\)\. Clips are cropped: clip 1 shows \d+ % .*fit_mode contain.* ends with the shortest clip, after 1 s\./,
  )
})

const style = { size: 24, fill: 'white', outline: 'black' }
const captions: readonly Caption[] = [
  { ...style, text: 'Subtitle one here', x: 240, y: 240, first: 0, end: 20 },
  { ...style, text: 'CHANNEL', x: 90, y: 30, first: 0, end: 20 },
]

test('detected regions are listed in the result, and removed by id', async ({ skip }) => {
  if (mirror === undefined) skip('there is no model of the text detector (REELWRIGHT_TESTDATA)')
  const { workspace } = agentSession
  const footage = { width: 480, height: 270, fps: 20, frames: 20, background: 'still', captions } as const
  await drawFootage(join(workspace, 'talk.mp4'), footage)
  const detected = await callUntilDone(agent, 'video_purify', { file_id: 'talk.mp4', phase: 'detect' })
  const { regions, next_step } = detected.data as { regions: RegionOverview; next_step: string }
  expect(regions).toMatchObject({
    total: 2,
    shown: expect.arrayContaining([
      expect.objectContaining({ where: 'bottom centre', start: 0, end: 1, box: expect.any(Array) }),
      expect.objectContaining({ where: 'top left' }),
    ]),
  })
  const [, listId] = /regions_file_id "(\d+)" and remove_ids or keep_ids/.exec(next_step) ?? []
  const subtitle = regions.shown.find(({ where }) => where === 'bottom centre')?.id
  const removed = await callUntilDone(agent, 'video_purify', {
    ...{ file_id: 'talk.mp4', regions_file_id: listId, remove_ids: [subtitle] },
  })
  expect(removed.data).toMatchObject({
    status: 'completed',
    assumed: [
      expect.stringMatching(/^phase is purify/),
      expect.stringMatching(/^1 of the 2 regions in .* removed\.$/),
    ],
  })
  const after = await callUntilDone(agent, 'video_purify', {
    file_id: resultPath(removed.data),
    phase: 'detect',
  })
  expect(after.data['regions']).toMatchObject({ total: 1, shown: [{ where: 'top left' }] })
})

test('regions of an edited list are kept by id; unknown ids are listed', async () => {
  const { workspace } = agentSession
  const inspected = await agent.call('inspect_file', { file: 'cam2.mp4' })
  const region = { id: 'a', source: 'detected', x: 0.1, y: 0.1, w: 0.3, h: 0.1, start: 0, end: 1, score: 0.9 }
  const list = {
    ...{ version: 1, source: { file_id: inspected.data['file_id'] } },
    regions: [region, { ...region, id: 'b', y: 0.7 }],
  }
  await writeFile(join(workspace, 'list.json'), JSON.stringify(list))
  const call = { file_id: 'cam2.mp4', regions_file_id: 'list.json' }
  const kept = await callUntilDone(agent, 'video_purify', { ...call, phase: 'purify', keep_ids: ['a'] })
  expect([kept.data['status'], kept.text]).toEqual(['completed', expect.any(String)])
  expect(kept.data['assumed']).toEqual(['1 of the 2 regions in list.json are removed.'])
  const unknown = await agent.call('video_purify', { ...call, keep_ids: ['c'] })
  expect(unknown.text).toMatch(/^6016: keep_ids: list\.json has no region "c"\. Fix: .*"a"; "b"/)
  const without = await agent.call('video_purify', { file_id: 'cam2.mp4', keep_ids: ['a'] })
  expect(without.text).toMatch(/^6016: keep_ids: requires regions_file_id/)
})
