import { execFile } from 'node:child_process'
import { stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lacksBrowser } from '../engines/chromium/play.ts'
import { htmlParticle } from '../html-render-simple/render.ts'
import { sampleCases } from '../soak-size.ts'
import { ffmpeg, streams } from '../video-split-screen/media.ts'
import { balance, startAgentSession, type ConnectedAgent, type AgentSession } from './agent-session.ts'
import { eras, parseToolResult, type Era } from './stdio-client.ts'

const run = promisify(execFile)

let agentSession: AgentSession
const connectToSession = (era: Era): Promise<ConnectedAgent> => agentSession.shared(era)

beforeAll(async () => {
  agentSession = await startAgentSession()
  await agentSession.createClip('testsrc2=s=320x180:r=30', 'left.mp4', 1.2)
  await agentSession.createClip('smptebars=s=180x320:r=25', 'right.mp4', 1.2)
  await agentSession.createClip('testsrc2=s=320x180:r=25', 'half.mkv', 4)
  const half = join(agentSession.workspace, 'half.mkv')
  await truncate(half, Math.floor((await stat(half)).size / 2))
  await ffmpeg('-f', 'lavfi', '-i', 'sine=440:d=1', join(agentSession.workspace, 'song.wav'))
  await writeFile(join(agentSession.workspace, 'title.html'), htmlParticle({ duration: 1 }, '<p>A title</p>'))
})

afterAll(() => agentSession[Symbol.asyncDispose]())

const bothClips = {
  clips: [{ file_id: 'left.mp4' }, { file_id: 'right.mp4' }],
  quality: '720p',
  wait_seconds: 45,
}

/** A request whose result is small. */
const smallVisualizer = {
  file_id: 'song.wav',
  template_id: 'bars',
  resolution: { width: 160, height: 90 },
}

describe.each(eras)('%s client, real service', (era) => {
  test('two local paths become a split-screen video in the workspace', async () => {
    const agent = await connectToSession(era)
    const progress: number[] = []
    const result = await agent.client.callTool(
      { name: 'video_split_screen', arguments: { ...bothClips, save_to: `out-${era}` } },
      { onprogress: ({ progress: percent }) => void progress.push(percent), timeout: 50_000 },
    )
    const { data, isError, text } = parseToolResult(result)
    expect([isError, data['status'], text]).toEqual([false, 'completed', expect.any(String)])
    expect(progress).toEqual(progress.toSorted((a, b) => a - b))
    const [file] = data['files'] as { path: string; duration: number }[]
    const { stdout } = await run('ffprobe', [
      ...['-v', 'error', '-show_entries', 'stream=codec_type,width,height:format=duration', '-of', 'json'],
      file?.path ?? '',
    ])
    const probed = JSON.parse(stdout) as { streams: object[]; format: { duration: string } }
    expect(probed.streams[0]).toMatchObject({ codec_type: 'video', width: 720, height: 1280 })
    expect(Math.abs(Number(probed.format.duration) - (file?.duration ?? 0))).toBeLessThan(0.1)

    const uri = `media://tasks/${String(data['task_id'])}`
    const { contents } = await agent.client.readResource({ uri })
    expect(JSON.stringify(contents)).toContain('video_split_screen.v1')
    const listed = await agent.call('list_tasks', { status: 'completed' })
    expect(JSON.stringify(listed.data['tasks'])).toContain(data['task_id'])
  })

  test('subscribers receive the final state of a task', async () => {
    const agent = await connectToSession(era)
    const { data } = await agent.call('music_visualizer', { ...smallVisualizer, wait_seconds: 0 })
    const uri = `media://tasks/${String(data['task_id'])}`
    const states: unknown[] = []
    agent.client.setNotificationHandler('notifications/resources/updated', async ({ params }) => {
      const { contents } = await agent.client.readResource({ uri: params.uri })
      const [content] = contents
      states.push(JSON.parse(content && 'text' in content ? content.text : '{}').status)
    })
    if (era === 'legacy') await agent.client.subscribeResource({ uri })
    else await agent.client.listen({ resourceSubscriptions: [uri] })
    await expect.poll(() => states.at(-1)).toBe('completed')
  })
})

// What the server reports does not depend on the client.
describe.each(sampleCases(eras, 1))('%s client, real service', (era) => {
  test('inspect_file returns a preview image of a clip', async () => {
    const agent = await connectToSession(era)
    for (const [preview, file] of [
      ['contact_sheet', 'left.mp4'],
      ['waveform', 'right.mp4'],
    ] as const) {
      const { data, result } = await agent.call('inspect_file', { file, preview })
      expect(data).toMatchObject({ name: file, media: { video: { codec: 'h264' } } })
      const image = result.content[1]
      expect(image?.type).toBe('image')
      if (image?.type === 'image') expect(image.data.length).toBeGreaterThan(500)
    }
  })

  test('a truncated file is reported with the position; MIDI is reported as midi', async () => {
    const agent = await connectToSession(era)
    const { workspace } = agentSession
    const { data } = await agent.call('inspect_file', { file: 'half.mkv' })
    expect(data).toMatchObject({
      kind: 'video',
      notes: [expect.stringMatching(/truncated: it should last 4\.0 s, but .* end at [12]\.\d s/)],
    })
    const intact = await agent.call('inspect_file', { file: 'left.mp4' })
    expect(intact.data).not.toHaveProperty('notes')

    await writeFile(join(workspace, 'tune.mid'), 'MThd')
    expect((await agent.call('inspect_file', { file: 'tune.mid' })).data).toMatchObject({ kind: 'midi' })
    const picture = await agent.call('inspect_file', { file: 'tune.mid', preview: 'waveform' })
    expect(picture.text).toMatch(/^6014: tune\.mid is midi/)
  })

  test('bad files are rejected with the reason, and nothing is charged', async () => {
    const agent = await connectToSession(era)
    const { workspace } = agentSession
    const before = await balance(agent)
    await writeFile(join(workspace, 'text.mp4'), 'this is not a video')
    await writeFile(join(workspace, 'list.mp4'), `#EXTM3U\n#EXTINF:1,\n${join(workspace, 'left.mp4')}\n`)
    const link = join(workspace, `link-${era}.mp4`)
    await symlink('/etc/hostname', link)
    const cases: [unknown, RegExp][] = [
      ['text.mp4', /^60(14|17): /],
      ['list.mp4', /^60(14|17): /],
      [link, /^6016: .*outside/],
      ['1234567890123456789', /^6004: /],
    ]
    for (const [file_id, expected] of cases) {
      const { isError, text } = await agent.call('video_split_screen', {
        clips: [{ file_id: 'left.mp4' }, { file_id }],
      })
      expect([isError, text]).toEqual([true, expect.stringMatching(expected)])
      expect(text).toMatch(/ Fix: .+ Retryable: no$/)
    }
    const outside = { x: 0.5, y: 0, width: 0.6, height: 1 }
    const crop = await agent.call('video_split_screen', {
      clips: [{ file_id: 'left.mp4', crop: outside }, { file_id: 'right.mp4' }],
    })
    expect(crop.text).toMatch(/^6016: .*crop/)
    const unknown = await agent.call('get_task', { task_id: '1234567890123456789' })
    expect(unknown.text).toMatch(/^6005: /)
    expect(await balance(agent)).toBe(before)
  })
})

test('the command that installs a missing model works in a shell', async () => {
  const agent = await connectToSession('modern')
  const { text } = await agent.call('service_status')
  const [, command = ''] = /Fix: `(node \S+run\.mjs models) pull whisper-tiny --data-dir/.exec(text) ?? []
  expect(text).toContain(`pull whisper-tiny --data-dir ${agentSession.dataDir}`)
  const { stdout } = await run('sh', ['-c', `${command} list --data-dir ${agentSession.dataDir}`])
  expect(stdout).toContain('whisper-tiny')
})

// Rendering operations as an agent calls them: local paths as input, a file in the workspace as output.

const cut = { material: 'left.mp4', clip_st: 0.2, track_st: 0 }
type Rendering = readonly [string, object, object]
const renderings: readonly [Rendering, Rendering, Rendering] = [
  [
    'video_timeline_render',
    {
      ...{ version: 'v1', video_size: [160, 90], video_rate: 25, materials: [{ id: 'left.mp4' }] },
      ...{ struct_meta: { of: { another: 'program' } }, beat_track: [{ at: 0.4 }] },
      video_track: [
        {
          track_index: 0,
          track_timeline: [{ ...cut, clip_id: 'picture', clip_ed: 1, track_ed: 0.8, duration: 0.8 }],
        },
      ],
      audio_track: [
        {
          track_index: 0,
          track_timeline: [{ ...cut, clip_id: 'sound', clip_ed: 1.2, track_ed: 1, duration: 1 }],
        },
      ],
    },
    { width: 160, height: 90, nb_read_frames: '25' },
  ],
  [
    'html_render_simple',
    {
      composition: {
        ...{ video_size: { width: 160, height: 90 }, fps: 25, duration: 1 },
        assets: { file_id: { walk: 'left.mp4', title: 'title.html' } },
        tracks: [{ type: 'video', asset: 'walk', track_index: 0, start: 0, muted: false }],
        beats: [{ start: 0.2, duration: 0.5, track_index: 1, html_asset: 'title' }],
      },
    },
    { width: 160, height: 90, nb_read_frames: '25' },
  ],
  ['music_visualizer', smallVisualizer, { width: 160, height: 90, nb_read_frames: '30' }],
]

const [timeline, html, music] = renderings
const scenarios: readonly (readonly [Era, Rendering])[] = [
  ['legacy', timeline],
  ['modern', timeline],
  ['legacy', html],
  ['modern', music],
]

test.for(sampleCases(scenarios, 3).map(([era, rendering]) => [era, ...rendering] as const))(
  '%s client: %s of local paths becomes a video in the workspace',
  async ([era, name, args, expected], { skip, task }) => {
    skip(name === 'html_render_simple' && lacksBrowser, 'no browser is installed')
    const agent = await connectToSession(era)
    const progress: number[] = []
    const onprogress = ({ progress: percent }: { progress: number }) => void progress.push(percent)
    const call = async (tool: string, toolArgs: object) => {
      const request = { name: tool, arguments: { ...toolArgs, wait_seconds: 45, save_to: `${name}-${era}` } }
      return parseToolResult(await agent.client.callTool(request, { onprogress, timeout: task.timeout }))
    }
    let response = await call(name, args)
    // On a loaded machine, the task takes longer than one call waits.
    while (['queued', 'processing'].includes(String(response.data['status'])))
      response = await call('get_task', { task_id: response.data['task_id'] })
    const { data, isError, text } = response
    expect([isError, data['status'], text]).toEqual([false, 'completed', expect.any(String)])
    expect(progress.length).toBeGreaterThan(0)
    expect(progress).toEqual(progress.toSorted((one, other) => one - other))
    const [file] = data['files'] as { path: string }[]
    expect(file?.path.startsWith(join(agentSession.workspace, `${name}-${era}`))).toBe(true)
    expect(await streams(file?.path ?? '')).toMatchObject([expected, { codec_name: 'aac' }])
    const inspection = await agent.call('inspect_file', { file: file?.path, preview: 'contact_sheet' })
    expect(inspection.result.content[1]?.type).toBe('image')
  },
)
