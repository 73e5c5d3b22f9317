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
// its programs together (Linux), and how lines fit.
// REELWRIGHT_TESTDATA=<folder of test data> npm run bench -- dub-long <minutes>

const [minutes = '60'] = process.argv.slice(2)
const type = 'video_translate_dub'

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
  const service = await startServiceProcess(dataDir, {
    packs: configuredPacks() ?? {},
    services: { ...stage.services.settings, language_model: dubModelService(stage.model) },
  })
  try {
    const file_id = await uploadFile(service, path)
    const request = { file_id, source_lang: 'zh-CN', target_lang: 'en-US', speaker: 'clone' }
    const { data, status, msg } = await api(service).create(type, request)
    if (status !== 200) throw new Error(msg)
    const began = performance.now()
    let [usage, programs, stages] = [await workerUsage(dataDir), 0, '']
    let record = await api(service).query(type, data.task_id)
    while (!isTerminal(record.data.status)) {
      await new Promise((resolve) => setTimeout(resolve, 2000))
      usage = await workerUsage(dataDir).catch(() => usage)
      programs = Math.max(programs, usage.programsMiB)
      record = await api(service).query(type, data.task_id)
      const state = `${Math.floor(record.data.progress)} %: ${usage.peakMiB.toFixed(0)} MiB, `
      if (
        Math.floor(record.data.progress / 20) > Math.floor(parseFloat(stages.split(', ').at(-2) ?? '0') / 20)
      )
        stages += state
    }
    const seconds = (performance.now() - began) / 1000
    const output = record.data.output_result as DubOutput
    if (record.data.status !== 'completed') return JSON.stringify(output)
    const { report, errors } = output
    const spoken = new Set(stage.services.requests.map(({ text, speaker }) => `${speaker} ${text}`)).size
    return (
      `${minutes} minutes, ${report.lines_count} lines: ${seconds.toFixed(0)} s, ${usage.processorSeconds.toFixed(0)} s of ` +
      `processor time; peak of the worker ${usage.peakMiB.toFixed(0)} MiB (${stages}), of its programs together ` +
      `${programs.toFixed(0)} MiB; ${stage.services.requests.length} requests for ${spoken} texts; ` +
      `${report.over_band_lines} lines over the band, ${report.trimmed_lines} trimmed, ratio ${report.ratio}, ` +
      `rewritten ${JSON.stringify(report.rewrite_rounds_hist)}; errors ${JSON.stringify(errors)}`
    )
  } finally {
    await service.kill('SIGTERM')
  }
}
