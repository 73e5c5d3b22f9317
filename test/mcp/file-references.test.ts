import { mkdir, readdir, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { audioLanguageDetect } from '../../tools/audio-language-detect/contract.ts'
import { checkParticle } from '../../tools/check-particle/contract.ts'
import { musicVisualizer } from '../../tools/music-visualizer/contract.ts'
import { videoTimelineRender } from '../../tools/video-timeline-render/contract.ts'
import { startInProcessAgent, type Agent } from './stdio-client.ts'

// Errors about the files that an agent names. No file stays open.

const operations = [videoTimelineRender, musicVisualizer, checkParticle, audioLanguageDetect]

async function startWorkspaceAgent(): Promise<Agent> {
  const agent = await startInProcessAgent('legacy', {}, { operations })
  await mkdir(agent.workspace, { recursive: true })
  for (const name of ['a.mp4', 'Beach Walk.mp4', 'song.mp3', 'cover.png']) {
    await writeFile(join(agent.workspace, name), `content of ${name}`)
  }
  return agent
}

const clip = { clip_id: 'one', clip_st: 0, clip_ed: 1, track_st: 0, track_ed: 1, duration: 1 }
const timeline = (materials: unknown, material: unknown) => ({
  ...{ version: 'v1', video_size: [320, 180], video_rate: 25, materials, audio_track: [] },
  video_track: [{ track_index: 0, track_timeline: [{ ...clip, material }] }],
})

/** Files of a folder that this process has open. */
async function openInside(folder: string): Promise<string[]> {
  const links = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''))
  return (await Promise.all(links)).filter((path) => path.startsWith(folder))
}

test.runIf(process.platform === 'linux')('a rejected call leaves no file open', async () => {
  await using agent = await startWorkspaceAgent()
  const rejection = timeline([{ id: 'a.mp4' }], 'Beach Walk.mp4')
  const { isError, text } = await agent.call('video_timeline_render', rejection)
  expect([isError, text]).toEqual([
    true,
    expect.stringMatching(/material: no entry of materials has this id/),
  ])
  expect(await openInside(agent.workspace)).toEqual([])
  expect(agent.service.requests.filter((request) => request.startsWith('POST'))).toEqual([])
})

test('check_particle returns the next step', async () => {
  await using agent = await startWorkspaceAgent()
  const output = { ok: false, problems: [{ severity: 'error', message: 'x' }] }
  agent.service.onCreate = (task) => agent.service.updateTask(task.id, { status: 'completed', output })
  const wrong = await agent.call('check_particle', { html: '<p>x</p>' })
  expect(wrong.data['next_step']).toBe('Done. Correct output.problems, then check again.')
  agent.service.onCreate = (task) =>
    agent.service.updateTask(task.id, { status: 'completed', output: { ok: true, problems: [] } })
  const right = await agent.call('check_particle', { html: '<p>y</p>' })
  expect(right.data['next_step']).toMatch(/^Done\. Look at the picture .* then call html_render_simple\.$/)
})

test('two names of one file are one material', async () => {
  await using agent = await startWorkspaceAgent()
  const both = timeline([{ id: 'a.mp4' }], join(agent.workspace, 'a.mp4'))
  expect(await agent.call('video_timeline_render', both)).toMatchObject({ isError: false })
})

describe('a missing file is reported with its field', () => {
  test.each<[string, unknown, RegExp]>([
    [
      'and the existing file of a neighbouring field',
      [{ id: 'v1', path: 'a.mp4' }],
      /^6004: materials\[0\]\.id: There is no v1\. Fix: Give the file itself here: "id": "a\.mp4" \(path does not name it\)\. /,
    ],
    [
      'and a file with a similar name',
      [{ id: 'beach walks.mp4' }],
      /^6004: .* Fix: Did you mean Beach Walk\.mp4\? Relative/,
    ],
    [
      'and a file with different case and separator',
      [{ id: 'beach_walk.mp4' }],
      /Did you mean Beach Walk\.mp4\?/,
    ],
    ['and a file with another extension', [{ id: 'a.mov' }], /Did you mean a\.mp4\?/],
    [
      'and, without a similar file, the folders',
      [{ id: 'interview.mp4' }],
      /Fix: Relative paths start from .*--allow-dir/,
    ],
  ])('%s', async (_, materials, expected) => {
    await using agent = await startWorkspaceAgent()
    const { text } = await agent.call('video_timeline_render', timeline(materials, 'v1'))
    expect(text).toMatch(expected)
  })
})

test('a file of another field is suggested only if it has the required kind', async () => {
  await using agent = await startWorkspaceAgent()
  const song = { file_id: 'song.mp3', template_id: 'ring', cover_file_id: 'covr.png' }
  const { text } = await agent.call('music_visualizer', { ...song, track: 'song.mp3' })
  expect(text).toMatch(/^6004: cover_file_id: There is no covr\.png\. Fix: Did you mean cover\.png\?/)
  const named = await agent.call('music_visualizer', { ...song, track: 'cover.png' })
  expect(named.text).toMatch(
    /Fix: Give the file itself here: "cover_file_id": "cover\.png" \(track does not .*\)\. Did you mean cover\.png\?/,
  )
})

test('a text longer than any path is not read as a path, in any field', async () => {
  await using agent = await startWorkspaceAgent()
  const long = 'a/'.repeat(1e6)
  const song = { file_id: 'song.mp3', template_id: 'ring' }
  const beside = await agent.call('music_visualizer', { ...song, cover_file_id: 'covr.png', track: long })
  expect(beside.text).toMatch(/Did you mean cover\.png\?/)
  const named = await agent.call('music_visualizer', { ...song, cover_file_id: long })
  expect(named.text.length).toBeLessThan(1000)
  expect(named.text).toMatch(/^6016: cover_file_id: .*4096/)
})

test('configured folders that are not used are reported, with the reason', async () => {
  const settings = { operations, allowedFolders: ['/path/to/media'] }
  await using agent = await startInProcessAgent('legacy', {}, settings)
  const { text } = await agent.call('check_particle', { file_id: 'title.html' })
  expect(text).toContain('/path/to/media is configured but not used: it does not exist or cannot be read.')
  expect(text).not.toContain('No other folder is configured')
})

test.each<[string, Record<string, unknown>, RegExp]>([
  [
    'music_visualizer',
    { file_id: 'song.mp3', template_id: 'ring', cover_file_id: 'a.mp4' },
    /cover_file_id: a\.mp4 is not an image\. Fix: Use an image, such as a frame saved as \.png\. /,
  ],
  [
    'check_particle',
    { file_id: 'a.mp4' },
    /file_id: a\.mp4 is not text\. Fix: Save the particle as \.html and use that\. /,
  ],
  [
    'video_timeline_render',
    timeline([{ id: 'cover.png' }], 'cover.png'),
    /materials\[0\]\.id: cover\.png is not a video or audio\. Fix: Use a video or sound\. For a still picture, create a video first/,
  ],
])('%s reports the fix for a file of another kind', async (name, args, expected) => {
  await using agent = await startWorkspaceAgent()
  const { text } = await agent.call(name, args)
  expect(text).toMatch(expected)
})

test.each<[string, Record<string, unknown>, RegExp]>([
  [
    'music_visualizer',
    { file_id: 'song.mp3', template_id: 'ring', cover_file_id: 'a.mp4' },
    /^6001: cover_file_id: a\.mp4 is not/,
  ],
  ['audio_language_detect', { file_id: 'cover.png' }, /^6016: file_id: cover\.png is not audio/],
  ['audio_language_detect', {}, /^6016: Required: file_id\. Fix: Add file_id \(/],
])('%s rejects a file under the error code that the operation lists', async (name, args, expected) => {
  await using agent = await startWorkspaceAgent()
  const { isError, text } = await agent.call(name, args)
  expect([isError, text]).toEqual([true, expect.stringMatching(expected)])
  expect(agent.service.requests.filter((request) => request.startsWith('POST'))).toEqual([])
})
