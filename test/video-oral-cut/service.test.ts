import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectFormats, type ProjectFormat } from '../../src/contract/project.ts'
import { rhythmTable } from '../../src/media/cut/pauses.ts'
import { videoOralCut } from '../../tools/video-oral-cut/contract.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { fails, type FakeService } from '../engines/services/fake-service.ts'
import { hasSpeechFiles } from '../engines/speech/recordings.ts'
import { framesOfProject, projectReaders } from '../projects/project-readers.ts'
import { judgeCut } from '../recordings/judge.ts'
import { readFrameNumbers } from '../recordings/frame-marks.ts'
import { shownRuns } from '../recordings/marked-footage.ts'
import { canSpeak } from '../recordings/speak.ts'
import { startStandInRecogniser } from '../recordings/stand-in-recogniser.ts'
import { api } from '../service/api.ts'
import { startServiceProcess, type ServiceProcess } from '../service/process.ts'
import {
  createCut,
  type CutOutput,
  cutServiceOptions,
  outputOf,
  resultFile,
  saveResult,
  type Talk,
  taskType,
  uploadFile,
  writeTalk,
} from './cut-service.ts'

const sourcePath = '/footage/a "talk" & more.mp4'

describe.skipIf(!canSpeak || !hasSpeechFiles)('the whole operation over HTTP', async () => {
  const folder = await scratchFolder()
  let [talk, recogniser, service]: [Talk?, FakeService?, ServiceProcess?] = []
  let fileId = ''
  let output: CutOutput
  let cost = 0
  const running = () => {
    if (!service || !talk) throw new Error('the service has not started')
    return { service, talk }
  }

  beforeAll(async () => {
    talk = await writeTalk(join(folder, 'talk'), { language: 'en-US', seed: 5, sentences: 4 })
    recogniser = await startStandInRecogniser(talk.recording)
    service = await startServiceProcess(join(folder, 'data'), cutServiceOptions(recogniser, folder))
    fileId = await uploadFile(service, talk.path)
    const before = await api(service).balance()
    const id = await createCut(service, {
      ...{ file_id: fileId, la: 'en-US', script: talk.script.text, source_path: sourcePath },
      ...{ outputs: ['project', 'video'], project_formats: projectFormats, render: { crf: 20 } },
      adaptive_rhythm: false,
      struct_meta: { nle_draft_dir: '/Users/me/drafts' },
    })
    output = await outputOf(service, id)
    cost = before - (await api(service).balance())
  })
  afterAll(async () => {
    await service?.kill('SIGTERM')
    await recogniser?.[Symbol.asyncDispose]()
  })

  it('returns every file, and costs a credit for each minute', () => {
    expect(videoOralCut.output.strict().parse(output)).toEqual(output)
    expect(output.files.map(({ type, format }) => `${type} ${format}`)).toEqual([
      ...['project xml', 'project fcpxml', 'project otio', 'project gtrk'],
      ...['project draft_a_draft', 'project draft_a_meta', 'project draft_b_draft', 'project draft_b_meta'],
      ...['video mp4', 'transcript json'],
    ])
    expect(output.errors).toEqual({})
    expect(cost).toBe(Math.ceil(running().talk.recording.truth.seconds / 60))
  })

  it('cuts the same frames in all projects and in the video', async () => {
    const {
      talk: { rate },
    } = running()
    const video = output.files.find(({ type }) => type === 'video')
    const path = await saveResult(running().service, video?.file_id ?? '', join(folder, 'cut.mp4'))
    const shown = shownRuns(await readFrameNumbers(path))
    const clips = shown.map(({ at, frames, number }) => ({ from: number, to: number + frames, at }))
    expect(clips.length).toBeGreaterThan(5)
    const textOf = async (format: ProjectFormat) => {
      const name = format.startsWith('draft') ? `${format}_draft` : format
      return Buffer.from(
        await resultFile(running().service, output, { type: 'project', format: name }),
      ).toString()
    }
    for (const format of projectFormats)
      for (const track of framesOfProject(await textOf(format), format, rate)) expect(track).toEqual(clips)
  })

  it('returns a gtrk project that video_timeline_render accepts', async () => {
    const bytes = await resultFile(running().service, output, { type: 'project', format: 'gtrk' })
    const project = JSON.parse(Buffer.from(bytes).toString()) as { materials: { id: string; path: string }[] }
    expect(project.materials).toMatchObject([{ id: fileId, path: sourcePath }])
    const quote = await api(running().service).send('/task/video_timeline_render/quote', {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify(project),
    })
    expect(quote).toMatchObject({ status: 200 })
  })

  it('is cut like the truth, with a truthful report', async () => {
    const { recording, script } = running().talk
    const bytes = await resultFile(running().service, output, { type: 'project', format: 'xml' })
    const [track] = projectReaders.xml(Buffer.from(bytes).toString()).tracks
    const kept = (track?.clips ?? []).map(({ from, to }) => ({
      start: from.num / from.den,
      end: to.num / to.den,
    }))
    const judged = judgeCut(recording.truth, kept, rhythmTable.default)
    expect(judged.f1).toBeGreaterThan(0.97)
    expect(judged.clippedWords).toEqual([])
    const { report, files } = output
    expect(report).toMatchObject({
      ...{ final_script: script.text, script_source: 'user', uncovered_script: [] },
      ...{ rhythm_preset: null, adaptive_rhythm: false, analysis_degraded: false },
    })
    expect(report.coverage).toBeGreaterThan(0.9)
    expect(report.low_coverage).toBeUndefined()
    expect(report.duration_before).toBeCloseTo(recording.truth.seconds, 1)
    const [video] = files.filter(({ type }) => type === 'video')
    expect(video?.duration).toBeCloseTo(report.duration_after, 3)
    expect(report.dropped.length).toBeGreaterThan(0)
  })

  it('returns a transcript with source times', async () => {
    const bytes = await resultFile(running().service, output, { type: 'transcript', format: 'json' })
    const { word_tc_list: words } = JSON.parse(Buffer.from(bytes).toString()) as {
      readonly word_tc_list: readonly { readonly start_time: number; readonly end_time: number }[]
    }
    expect(words.length).toBeGreaterThan(0.8 * running().talk.recording.truth.words.length)
    for (const [index, { start_time, end_time }] of words.entries()) {
      expect(end_time).toBeGreaterThanOrEqual(start_time)
      expect(start_time).toBeGreaterThanOrEqual(words[index - 1]?.end_time ?? 0)
    }
  })

  it('fails with the reason if the recogniser refuses, and refunds', async () => {
    const { service: at } = running()
    const balance = await api(at).balance()
    recogniser?.replies.push(fails(401, { error: { message: 'wrong key' } }))
    const id = await createCut(at, { file_id: fileId, la: 'en-US', outputs: ['video'] })
    const { data } = await api(at).ended(taskType, id)
    expect(data.status).toBe('failed')
    expect(data.output_result).toMatchObject({
      error: { code: 6401, message: expect.stringMatching(/asks for a key \(HTTP 401\)/) as string },
    })
    expect(await api(at).balance()).toBe(balance)
  })
})
