import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fillPath, routes } from '../../src/contract/routes.ts'
import { projectFormats } from '../../src/contract/project.ts'
import { configuredPacks } from '../../src/engines/packs/resolve.ts'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { measureLevel } from '../../src/engines/ffmpeg/true-peak.ts'
import type { AlignmentRecord } from '../../src/media/dubbing/alignment.ts'
import { type Gtrk, readGtrk } from '../../src/media/timeline/read-gtrk.ts'
import { videoTranslateDub } from '../../tools/video-translate-dub/contract.ts'
import { operations } from '../../tools/index.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { decodeLimits, hasSpeechFiles } from '../engines/speech/recordings.ts'
import { projectReaders } from '../projects/project-readers.ts'
import { askingClient } from '../questions/asking-client.ts'
import { canSpeak } from '../recordings/speak.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { dubAnswers, type DubQuestion } from './dub-model.ts'
import { type DubOutput, type DubStage, openDubStage } from './run-dub.ts'

const type = videoTranslateDub.name

// The agent that creates the task translates and rewrites the lines.

describe.skipIf(!canSpeak || !hasSpeechFiles)('a service with voices (REELWRIGHT_TESTDATA)', async () => {
  const folder = await scratchFolder()
  let stage: DubStage
  let service: TestService

  beforeAll(async () => {
    stage = await openDubStage(folder, {
      ...{ language: 'zh-CN', to: 'en-US', name: 'talk', sentences: 3, codec: 'alac' },
    })
    service = await startTestService({
      operations: operations.filter(({ operation }) => operation.name === type),
      packs: configuredPacks() ?? {},
      services: stage.services.settings,
    })
  })
  afterAll(async () => {
    await service[Symbol.asyncDispose]()
    await stage[Symbol.asyncDispose]()
  })

  /** Dubs a file with the answers of an agent. Returns the kinds of its questions, and how often sound was recognised before each. */
  async function dub(client: ReturnType<typeof askingClient>, path: string, changes: object) {
    const { data: file } = await client.upload('talk.mp4', new Uint8Array(await readFile(path)))
    const { status, msg, data } = await client.create(type, {
      ...{ file_id: file.file_id, source_lang: 'zh-CN', target_lang: 'en-US', speaker: 'clone' },
      ...changes,
    })
    if (status !== 200) throw new Error(msg)
    const kinds: string[] = []
    const heard: number[] = []
    const answer = dubAnswers()
    for (;;) {
      const { data: task } = await client.waiting(type, data.task_id)
      if (task.questions_open === undefined) break
      heard.push(stage.services.recogniser.heard.length)
      const { questions } = (await client.questions(data.task_id)).data
      kinds.push(...new Set(questions.map(({ kind }) => kind)))
      const answers = questions.map(({ question_id, input }) => ({
        question_id,
        answer: answer(input as DubQuestion),
      }))
      expect((await client.answer(data.task_id, answers)).status).toBe(200)
    }
    const { data: task } = await client.ended(type, data.task_id)
    expect([task.status, JSON.stringify(task.output_result)]).toEqual(['completed', expect.any(String)])
    return { output: task.output_result as DubOutput, kinds, heard }
  }
  const loudness = async (path: string) => (await measureLevel(path, decodeLimits)).loudness ?? -Infinity

  it('dubs a video in the voices of its speakers with the answers of an agent, with music, subtitles and all projects', async () => {
    const client = askingClient(await service.account(1000))
    const save = async (fileId: string | undefined, name: string) => {
      const path = join(folder, name)
      await writeFile(path, await client.download(fileId ?? ''))
      return path
    }
    const before = await client.balance()
    const { output, kinds, heard } = await dub(client, stage.source.path, {
      project_formats: [...projectFormats],
      source_path: '/footage/talk.mp4',
      local_output_dir: '/footage/dub',
      struct_meta: { nle_draft_dir: '/drafts' },
    })
    const { report, errors, files } = output
    expect(errors).toEqual({})
    const { video, audio, subtitles, duration_ms } = await probe(stage.source.path)
    expect(before - (await client.balance())).toBe(Math.ceil((duration_ms / 60_000) * 50))
    expect(report).toMatchObject({
      ...{ input_kind: 'video', speaker: 'clone', bgm: 'kept', subtitle: 'soft', subtitle_burned: false },
      ...{ lines_count: 3, source_duration_ms: Math.round(duration_ms) },
      ref: { source: 'source_video', ref_lang: 'zh-CN', separated: true, text_source: 'asr' },
    })
    expect(report.refs?.map(({ speaker }) => speaker).toSorted()).toEqual([0, 1])

    const dubbed = await save(output.output_file_id, 'dubbed.mp4')
    const facts = await probe(dubbed)
    expect(facts.video).toMatchObject({ codec: 'h264', width: video?.width, height: video?.height })
    expect(facts.audio).toMatchObject([{ codec: 'aac', channels: audio[0]?.channels }])
    expect([facts.subtitles.length, subtitles.length]).toEqual([1, 0])
    expect(Math.abs(facts.duration_ms - report.output_duration_ms)).toBeLessThanOrEqual(40)
    expect(Math.abs((await loudness(dubbed)) - (await loudness(stage.source.path)))).toBeLessThan(1)
    const srt = await readFile(await save(output.subtitle_file_id, 'dubbed.srt'), 'utf8')
    expect(srt).toMatch(/^1\n00:00:0\d,\d{3} --> /)

    const record = JSON.parse(
      await readFile(await save(output.transcript_file_id, 'record.json'), 'utf8'),
    ) as AlignmentRecord
    expect(record).toMatchObject({ task_type: type, source_lang: 'zh-CN', target_lang: 'en-US' })
    expect(record.lines.map(({ src_text }) => src_text)).toEqual(stage.dialogue.sentences)
    const textOf = async (format: string) => {
      const file = files.find((one) => one.format === format)
      return String(Buffer.from(await client.download(file?.file_id ?? '')))
    }
    const gtrk = JSON.parse(await textOf('gtrk')) as Gtrk
    const [spoken, music] = gtrk.audio_track
    const clips = spoken?.track_timeline.filter(({ clip_id }) => clip_id) ?? []
    expect(clips.map(({ clip_id }) => clip_id)).toEqual(record.lines.map(({ clip_id }) => clip_id))
    const frame = 1 / gtrk.video_rate
    for (const [index, { st_ms, dur_ms }] of record.lines.entries()) {
      const { clip_st = 0, track_st = 0, track_ed = 0 } = clips[index] ?? {}
      expect(clip_st).toBeCloseTo(track_st, 6)
      expect(Math.abs(track_st - st_ms / 1000)).toBeLessThanOrEqual(frame)
      expect(Math.abs(track_ed - (st_ms + dur_ms) / 1000)).toBeLessThanOrEqual(frame)
    }
    // A timeline that can be rendered: the muted picture, the lines and the music.
    expect(readGtrk(gtrk)).toMatchObject({ picture: [{ volume: 0 }] })
    expect(readGtrk(gtrk).sound.map(({ length }) => length)).toEqual([record.lines.length, 1])
    expect(music?.track_timeline).toHaveLength(1)
    expect(files.map(({ format }) => format)).toEqual([
      ...['xml', 'fcpxml', 'otio', 'gtrk', 'draft_a_draft', 'draft_a_meta', 'draft_b_draft', 'draft_b_meta'],
    ])
    for (const format of projectFormats) {
      const text = await textOf(format.startsWith('draft') ? `${format}_draft` : format)
      expect(
        projectReaders[format](text)
          .media.map(({ path }) => path)
          .toSorted(),
      ).toEqual([...['/footage/dub/bgm.wav', '/footage/dub/dub.wav', '/footage/talk.mp4']])
    }

    for (const [id, name] of [
      [output.dub_audio_file_id, 'dub.wav'],
      [output.bgm_audio_file_id, 'bgm.wav'],
    ] as const) {
      const { data } = await client.send(fillPath(routes.fileDetails.path, { file_id: id ?? '' }))
      expect(data).toMatchObject({ original_name: name })
    }

    // The agent is asked for translations and rewritings, and nothing is recognised or spoken twice.
    const { services } = stage
    expect(report.engines.translator).toBe('agent')
    expect(kinds.slice(0, 2)).toEqual(['translate_lines', 'rewrite_lines'])
    expect(report.rewrite_lines).toBeGreaterThan(0)
    const texts = services.requests.map(({ text, speaker }) => `${speaker} ${text}`)
    expect(texts).toEqual([...new Set(texts)])
    // The source and a reference for each speaker before the first question; then a check of each speech.
    const [beforeTranslation = 0] = heard
    expect(services.recogniser.heard.length).toBe(beforeTranslation + texts.length)
  })
})
