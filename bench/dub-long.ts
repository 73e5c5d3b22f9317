import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isTerminal } from '../src/contract/task.ts'
import { configuredPacks } from '../src/engines/packs/resolve.ts'
import { api } from '../test/service/api.ts'
import { startServiceProcess } from '../test/service/process.ts'
import { dubModelService } from '../test/video-translate-dub/dub-model.ts'
import { type DubOutput, type DubStage, openDubStage } from '../test/video-translate-dub/run-dub.ts'
import { uploadFile } from '../test/video-oral-cut/cut-service.ts'
import { ffmpeg } from '../test/video-split-screen/media.ts'
import { workerUsage } from './worker-usage.ts'

// Dubs a long video in a service process: a generated dialogue with music, repeated, with a small picture, voices of
// espeak-ng, a recogniser that knows the text and a separator by frequency. Prints time, peak memory of the worker and of
// its programs together (Linux), and how lines fit. With `killed`, the service is killed up to nine times, and continues.
// REELWRIGHT_TESTDATA=<folder of test data> npm run bench -- dub-long <minutes> [killed]

const [minutes = '60', mode] = process.argv.slice(2)
const type = 'video_translate_dub'

/** Progress at which the service is killed, percent: in separation, recognition and speech twice, then in later stages. */
const killsAt = mode === 'killed' ? [5, 15, 25, 35, 60, 70, 83, 90, 94] : []

const folder = await mkdtemp(join(tmpdir(), 'bench-dub-'))
try {
  await using stage = await openDubStage(folder, { language: 'zh-CN', to: 'en-US', sentences: 12 })
  const path = join(folder, 'talk.mp4')
  await ffmpeg(
    ...['-stream_loop', '-1', '-i', stage.source.path, '-t', String(60 * Number(minutes))],
    ...['-vf', 'scale=160:-2', '-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '35', '-c:a', 'aac', path],
  )
  console.log(await dub(path, stage))
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function dub(path: string, stage: DubStage): Promise<string> {
  const dataDir = join(folder, 'data')
  const start = () =>
    startServiceProcess(dataDir, {
      packs: configuredPacks() ?? {},
      services: { ...stage.services.settings, language_model: dubModelService(stage.model) },
    })
  let service = await start()
  try {
    const file_id = await uploadFile(service, path)
    const request = { file_id, source_lang: 'zh-CN', target_lang: 'en-US', speaker: 'clone' }
    const { data, status, msg } = await api(service).create(type, request)
    if (status !== 200) throw new Error(msg)
    const began = performance.now()
    const kills = [...killsAt]
    const stages: string[] = []
    let [usage, peak, programs, fifths] = [await workerUsage(dataDir), 0, 0, 0]
    // Of the workers that were killed, seconds.
    let processorBefore = 0
    let record = await api(service).query(type, data.task_id)
    while (!isTerminal(record.data.status)) {
      await new Promise((resolve) => setTimeout(resolve, 2000))
      usage = await workerUsage(dataDir).catch(() => usage)
      peak = Math.max(peak, usage.peakMiB)
      programs = Math.max(programs, usage.programsMiB)
      record = await api(service).query(type, data.task_id)
      const percent = Math.floor(record.data.progress)
      if (percent >= (kills[0] ?? Infinity)) {
        while (percent >= (kills[0] ?? Infinity)) kills.shift()
        await service.kill('SIGKILL')
        processorBefore += usage.processorSeconds
        service = await start()
        stages.push(`killed at ${percent} %`)
      }
      if (Math.floor(percent / 20) > fifths) {
        fifths = Math.floor(percent / 20)
        stages.push(`${percent} %: ${usage.peakMiB.toFixed(0)} MiB`)
      }
    }
    const seconds = (performance.now() - began) / 1000
    const output = record.data.output_result as DubOutput
    if (record.data.status !== 'completed') return JSON.stringify(output)
    const { report, errors } = output
    const spoken = new Set(stage.services.requests.map(({ text, speaker }) => `${speaker} ${text}`)).size
    return (
      `${minutes} minutes, ${report.lines_count} lines: ${seconds.toFixed(0)} s, ${(processorBefore + usage.processorSeconds).toFixed(0)} s of ` +
      `processor time; peak of the worker ${peak.toFixed(0)} MiB (${stages.join(', ')}), of its programs together ` +
      `${programs.toFixed(0)} MiB; ${stage.services.requests.length} requests for ${spoken} texts; ` +
      `${report.over_band_lines} lines over the band, ${report.trimmed_lines} trimmed, ratio ${report.ratio}, ` +
      `rewritten ${JSON.stringify(report.rewrite_rounds_hist)}; errors ${JSON.stringify(errors)}`
    )
  } finally {
    await service.kill('SIGTERM')
  }
}
