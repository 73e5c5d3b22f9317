import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadDrawing, type Pen } from '../../src/engines/canvas/drawing.ts'
import { type ProRun, runPro } from '../../test/video-long2short-pro/run-pro.ts'
import { translatingClipModel } from '../../test/video-long2short/shorts-model.ts'
import { faint, filmTalk, frameAt, ink, write } from './shorts-talk.ts'

// Draws shorts-pro.jpg: finished clips of a generated talk, vertical ones and square ones.
// REELWRIGHT_TESTDATA=<folder of test data> node docs/operations/shorts-pro.ts

/** Translations of the sentences, as a language model would return them. */
const translations: Readonly<Record<string, string>> = {
  'Let me move this microphone a little bit closer.': '我把麦克风挪近一点。',
  'A doctor once gave me six months to live.': '医生曾说我只剩六个月的生命。',
  'That evening I sold my motorcycle and bought a ticket to Lisbon.':
    '当晚我卖掉了摩托车，买了去里斯本的机票。',
  'I danced every night until the sun came up.': '我每晚跳舞，直到太阳升起。',
  'Forty years later I still keep the boarding pass in my wallet.': '四十年后，登机牌还在我的钱包里。',
  'All right, let us continue with the next thing.': '好，我们继续下一个话题。',
  'There is not much to say about it at this point.': '关于这个现在没有太多可说的。',
  'Here is a trick that ended my bad sleep after twelve years.': '这个诀窍结束了我十二年的失眠。',
  'Get up at exactly the same minute every single day.': '每天都在同一分钟起床。',
  'Pressure to sleep builds like hunger.': '睡意像饥饿一样积累。',
  'By Thursday you will collapse into bed before ten.': '到星期四，十点前你就会倒头大睡。',
  'So that was it for this week.': '这周就到这里。',
  'Thank you for listening and see you next time.': '谢谢收听，下次再见。',
}

/** A row of the picture. */
interface Row {
  readonly title: string
  /** Frames of the clip, and their width and height in the picture, pixels. */
  readonly frames: number
  readonly width: number
  readonly height: number
  readonly request: object
}

const rows: readonly Row[] = [
  {
    ...{ title: '9:16, subtitles in the spoken language', frames: 6, width: 162, height: 288 },
    request: { output_size: '540x960' },
  },
  {
    ...{ title: '1:1, subtitles in two languages, 1.1 times as fast', frames: 4, width: 247, height: 247 },
    request: {
      ...{ output_size: '720x720', speed: { factor: 1.1 } },
      subtitle: { translate_language: 'zh-CN' },
    },
  },
]

const source = { width: 332, height: 187 }
const [margin, gap, heading] = [20, 8, 30]

const folder = await mkdtemp(join(tmpdir(), 'shorts-pro-'))
try {
  await writeFile(new URL('shorts-pro.jpg', import.meta.url), await draw())
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** Translates a caption by the list above. */
function translate(text: string): string {
  const translation = translations[text]
  if (translation === undefined) throw new Error(`the translation of ${JSON.stringify(text)} is missing`)
  return translation
}

async function draw(): Promise<Buffer> {
  await using talk = await filmTalk(folder, translatingClipModel(translate))
  const { createCanvas } = await loadDrawing()
  const frames = Math.max(...rows.map(({ frames: count, width }) => count * (width + gap)))
  const height = rows.reduce((sum, row) => sum + heading + row.height + margin, margin)
  const canvas = createCanvas(2 * margin + source.width + gap + frames, height)
  const pen = canvas.getContext('2d')
  pen.fillStyle = '#ffffff'
  pen.fillRect(0, 0, canvas.width, canvas.height)
  let top = margin
  for (const row of rows) {
    const request = { duration: { pref: 'short', max_clip_sec: 20 }, ...row.request }
    await drawRow(pen, row, { top, path: talk.path, run: await runPro(talk.path, request, { folder }) })
    top += heading + row.height + margin
  }
  return await canvas.encode('jpeg', 66)
}

/** Draws a frame of the video and frames of its first clip. */
async function drawRow(
  pen: Pen,
  row: Row,
  { top, path, run }: { readonly top: number; readonly path: string; readonly run: ProRun },
): Promise<void> {
  const { output, paths } = run
  if (output.report.degraded) throw new Error(JSON.stringify(output.errors))
  const [clip] = output.clips
  if (!clip) throw new Error('there is no clip')
  const y = top + heading
  const middle = (clip.source_start + clip.source_end) / 2
  write(pen, 'The video', { x: margin, y: top + 18, colour: faint })
  pen.drawImage(await frameAt(path, middle, folder), margin, y, source.width, source.height)
  const left = margin + source.width + 2 * gap
  const seconds = clip.file.duration ?? 0
  write(pen, `${row.title} · ${seconds.toFixed(1)} s`, { x: left, y: top + 18, colour: ink })
  for (let number = 0; number < row.frames; number += 1) {
    const at = ((number + 0.5) * seconds) / row.frames
    const frame = await frameAt(paths.get(clip.file.filename) ?? '', at, folder)
    pen.drawImage(frame, left + number * (row.width + gap), y, row.width, row.height)
  }
}
