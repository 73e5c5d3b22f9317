import { join } from 'node:path'
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectFormats, type ProjectFormat } from '../../src/contract/project.ts'
import { readSubtitles } from '../../src/media/subtitles/read.ts'
import { estimateWidth } from '../../src/media/subtitles/text-width.ts'
import { videoLong2short } from '../../tools/video-long2short/contract.ts'
import { scratchFolder, testdata } from '../engines/ffmpeg/generate-media.ts'
import { type ModelServer, startModelServer } from '../engines/language-model/model-server.ts'
import { fails, type FakeService } from '../engines/services/fake-service.ts'
import { hasSpeechFiles } from '../engines/speech/recordings.ts'
import { framesOfProject } from '../projects/project-readers.ts'
import { readFrameNumbers } from '../recordings/frame-marks.ts'
import { shownRuns } from '../recordings/marked-footage.ts'
import { canSpeak } from '../recordings/speak.ts'
import { startStandInRecogniser } from '../recordings/stand-in-recogniser.ts'
import { api } from '../service/api.ts'
import { startServiceProcess, type ServiceProcess } from '../service/process.ts'
import { uploadFile } from '../video-oral-cut/cut-service.ts'
import {
  filesOf,
  type ShortsOutput,
  type SpokenTalk,
  talkText,
  taskType,
  writeSpokenTalk,
} from './run-shorts.ts'
import { clipModel } from './shorts-model.ts'

const sourcePath = '/footage/a "talk" & more.mp4'

describe.skipIf(!canSpeak || !hasSpeechFiles)(
  'clips over HTTP, with a recogniser and a language model',
  async () => {
    const folder = await scratchFolder()
    let [talk, recogniser, model, service]: [SpokenTalk?, FakeService?, ModelServer?, ServiceProcess?] = []
    let output: ShortsOutput
    let cost = 0
    const running = () => {
      if (!service || !talk) throw new Error('the service has not started')
      return { service, talk }
    }
    const ended = async (request: object) => {
      const { service: at } = running()
      const { status, msg, data } = await api(at).create(taskType, request)
      if (status !== 200) throw new Error(msg)
      return (await api(at).ended(taskType, data.task_id)).data
    }
    beforeAll(async () => {
      // Longer than a minute, which costs two credits.
      const text = talkText.replace(/We have a few things .* closer\. /, '')
      talk = await writeSpokenTalk(join(folder, 'talk'), { text, pause: 0.9 })
      recogniser = await startStandInRecogniser(talk.recording, { jitter: 0.05 })
      model = await startModelServer(clipModel)
      const mirror = testdata('models')
      service = await startServiceProcess(join(folder, 'data'), {
        services: {
          transcription: { address: `${recogniser.origin}/v1`, model: 'stand-in', concurrency: 1 },
          language_model: { address: `${model.origin}/v1`, model: 'small', context_tokens: 8192 },
        },
        packs: { folder: join(folder, 'packs'), automatic: true, ...(mirror !== undefined && { mirror }) },
      })
      const before = await api(service).balance()
      const data = await ended({
        ...{ file_id: await uploadFile(service, talk.path), language: 'en-US', source_path: sourcePath },
        // The shape of the video, so that each frame shows its number.
        ...{ outputs: ['report', 'project', 'video', 'subtitle'], output_size: '160x96' },
        ...{ project_formats: projectFormats, struct_meta: { nle_draft_dir: '/Users/me/drafts' } },
        duration: { pref: 'short', max_clip_sec: 20 },
      })
      if (data.status !== 'completed') throw new Error(JSON.stringify(data))
      output = data.output_result as ShortsOutput
      cost = before - (await api(service).balance())
    })
    afterAll(async () => {
      await service?.kill('SIGTERM')
      await recogniser?.[Symbol.asyncDispose]()
      await model?.[Symbol.asyncDispose]()
    })

    const download = async (clip: number, format: string) => {
      const file = output.clips[clip]?.files.find((one) => one.format === format)
      return await api(running().service).download(file?.file_id ?? '')
    }

    it('selects the passages that make a point, whole sentences each', () => {
      expect(videoLong2short.output.strict().parse(output)).toEqual(output)
      expect(output.clips.map(({ title }) => title)).toEqual([
        'Six months to live',
        'The trick that ended my bad sleep',
      ])
      const [first, second] = output.clips.map(({ text }) => text)
      expect(first).toMatch(/^A doctor .*in my wallet\.(?: .*\.)?$/)
      expect(second).toMatch(/Here is a trick .*before ten\.(?: .*\.)?$/)
      expect(output.report).toMatchObject({
        clip_count: 2,
        jump_cut: true,
        jumpcut_used: true,
        degraded: false,
      })
      expect(output.report).not.toHaveProperty('split_manifest')
      expect([output.errors, output.notes]).toEqual([{}, undefined])
      expect(cost).toBe(Math.ceil(running().talk.recording.truth.seconds / 60))
    })

    it('returns every file of each clip under its name', () => {
      for (const [index, { files }] of output.clips.entries()) {
        const clip = `clip${index + 1}`
        expect(files.map(({ type, format, filename }) => `${type} ${format} ${filename}`)).toEqual([
          ...['xml', 'fcpxml', 'otio', 'gtrk'].map((format) => `project ${format} ${clip}_talk.${format}`),
          'project draft_a_draft draft_content.json',
          'project draft_a_meta draft_meta_info.json',
          'project draft_b_draft draft_info.json',
          'project draft_b_meta draft_meta_info.json',
          `video mp4 ${clip}.mp4`,
          `subtitle srt ${clip}.srt`,
        ])
      }
      expect(new Set(filesOf(output).map(({ file_id }) => file_id)).size).toBe(filesOf(output).length)
    })

    it('cuts the same frames in all projects and in the video, without retakes', async () => {
      const { talk: footage } = running()
      for (const [index, clip] of output.clips.entries()) {
        const path = join(folder, `clip${index + 1}.mp4`)
        await writeFile(path, await download(index, 'mp4'))
        const numbers = await readFrameNumbers(path)
        const runs = shownRuns(numbers).map(({ at, frames, number }) => ({
          from: number,
          to: number + frames,
          at,
        }))
        expect(runs).toHaveLength(clip.segment_count)
        expect(numbers).toHaveLength(Math.round((clip.total_duration_ms * footage.rate.num) / 1000))
        expect(clip.total_duration_ms).toBeLessThanOrEqual(20_000)
        const textOf = async (format: ProjectFormat) =>
          Buffer.from(
            await download(index, format.startsWith('draft') ? `${format}_draft` : format),
          ).toString()
        for (const format of projectFormats)
          for (const track of framesOfProject(await textOf(format), format, footage.rate))
            expect(track).toEqual(runs)
        const shown = (time: number) =>
          runs.some(({ from, to }) => time * footage.rate.num >= from && time * footage.rate.num < to)
        const { passages } = footage.recording.truth
        for (const { kind, start, end } of passages)
          if (kind === 'retake') expect([start, shown((start + end) / 2)]).toEqual([start, false])
      }
    })

    it('ends 0.7 s after the last word, and never in the next one', () => {
      const { passages } = running().talk.recording.truth
      for (const { source_start, source_end } of output.clips) {
        const last = passages.findLast(({ start }) => start < source_end)
        const first = passages.find(({ end }) => end > source_start)
        expect(source_end - (last?.end ?? 0)).toBeGreaterThan(0.6)
        expect(source_end - (last?.end ?? 0)).toBeLessThan(0.75)
        expect((first?.start ?? 0) - source_start).toBeGreaterThan(-0.021)
        expect((first?.start ?? 0) - source_start).toBeLessThan(0.15)
      }
    })

    it('returns highlights and subtitles on the time of the clip, without commas and full stops', async () => {
      for (const [index, clip] of output.clips.entries()) {
        const srt = readSubtitles(await download(index, 'srt'), { format: 'srt' })
        const said = srt.entries.map(({ text }) => text.replaceAll('\n', ' ')).join(' ')
        expect(said.toLowerCase()).toBe(clip.text.replaceAll(/[.,]/g, '').toLowerCase())
        for (const { start, end, text } of srt.entries) {
          expect([start >= 0, end <= clip.total_duration_ms]).toEqual([true, true])
          // 160x96 is as wide as landscape.
          for (const line of text.split('\n')) expect(estimateWidth(line)).toBeLessThanOrEqual(20)
        }
        expect(clip.highlight_words).toHaveLength(2)
        expect(clip.tags).toEqual(['story', 'life'])
        for (const { text, begin_time, end_time } of clip.highlight_words) {
          expect([begin_time >= 0, end_time > begin_time, end_time * 1000 <= clip.total_duration_ms]).toEqual(
            [true, true, true],
          )
          const [shown] = srt.entries.filter(
            (entry) => entry.start <= begin_time * 1000 + 1 && entry.end >= end_time * 1000 - 1,
          )
          expect(shown?.text.replaceAll('\n', ' ')).toContain(text)
        }
      }
    })

    it('fails and refunds if the recogniser refuses', async () => {
      const { service: at } = running()
      const short = await writeSpokenTalk(join(folder, 'short'), { text: 'Hello and welcome to the show.' })
      const file_id = await uploadFile(at, short.path)
      const balance = await api(at).balance()
      recogniser?.replies.push(fails(401, { error: { message: 'wrong key' } }))
      const data = await ended({ file_id, language: 'en-US', outputs: ['report'] })
      expect(data).toMatchObject({ status: 'failed', output_result: { error: { code: 6401 } } })
      expect(await api(at).balance()).toBe(balance)
    })
  },
)
