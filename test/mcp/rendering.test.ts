import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lacksBrowser } from '../engines/chromium/play.ts'
import { htmlParticle } from '../html-render-simple/render.ts'
import { sampleCases } from '../soak-size.ts'
import { ffmpeg, streams } from '../video-split-screen/media.ts'
import { startAgentSession, type AgentSession } from './agent-session.ts'
import { parseToolResult, type Era } from './stdio-client.ts'

// Rendering operations as an agent calls them: local paths as input, a file in the workspace as output.

let agentSession: AgentSession

beforeAll(async () => {
  agentSession = await startAgentSession()
  await agentSession.createClip('testsrc2=s=320x180:r=25', 'walk.mp4', 1.2)
  await ffmpeg('-f', 'lavfi', '-i', 'sine=440:d=1.2', join(agentSession.workspace, 'song.wav'))
  await writeFile(join(agentSession.workspace, 'title.html'), htmlParticle({ duration: 1 }, '<p>A title</p>'))
})
afterAll(() => agentSession[Symbol.asyncDispose]())

const cut = { material: 'walk.mp4', clip_st: 0.2, track_st: 0 }
type Rendering = readonly [string, object, object]
const renderings: readonly [Rendering, Rendering, Rendering] = [
  [
    'video_timeline_render',
    {
      ...{ version: 'v1', video_size: [160, 90], video_rate: 25, materials: [{ id: 'walk.mp4' }] },
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
        assets: { file_id: { walk: 'walk.mp4', title: 'title.html' } },
        tracks: [{ type: 'video', asset: 'walk', track_index: 0, start: 0, muted: false }],
        beats: [{ start: 0.2, duration: 0.5, track_index: 1, html_asset: 'title' }],
      },
    },
    { width: 160, height: 90, nb_read_frames: '25' },
  ],
  [
    'music_visualizer',
    { file_id: 'song.wav', template_id: 'bars', resolution: { width: 160, height: 90 } },
    { width: 160, height: 90, nb_read_frames: '36' },
  ],
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
    const agent = await agentSession.shared(era)
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
