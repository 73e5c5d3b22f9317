import { expect, it } from 'vitest'
import { readSubtitles } from '../../src/media/subtitles/read.ts'
import { rewriteAss } from '../../src/media/subtitles/rewrite-ass.ts'
import { startTranslationService } from './translation-service.ts'

const service = startTranslationService()

/** Size of each file, just below the limit, in bytes. */
const bombBytes = 8 * 2 ** 20 - 2000

const repeated = (part: string, bytes = bombBytes) => part.repeat(Math.floor(bytes / part.length))
const event = (text: string) => `Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,${text}\n`
const head = '[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n'
const said = event('Hello there, my friend')

const bombs: readonly (readonly [what: string, text: string])[] = [
  ['nested animations', head + event(`Hi ${repeated(String.raw`{\t(0,1,\t(0,1,`)}}`)],
  ['open braces', head + event(`Hi ${repeated('{')}`)],
  ['drawings between words', head + event(`Hi ${repeated(String.raw`{\p1}m{\p0}`)}`)],
  ['backslashes', head + event(`Hi ${repeated('\\')}`)],
  ['line breaks in one event', head + event(`Hi ${repeated(String.raw`\N`)}`)],
  ['malformed events', head + said + repeated('Dialogue:\n')],
  ['comments', head + said + repeated(said.replace('Dialogue', 'Comment'))],
  ['a font without line ends', `${head}${said}[Fonts]\nfontname: a.ttf\n${repeated('!')}`],
  ['formats', head + said + repeated('Format: a\n')],
]

it.each(bombs)('a file of %s does not block the service', async (_, text) => {
  const file_id = await service.upload('bomb.ass', text)
  const body = { file_id, language: 'en-US', translate_language: 'zh-CN' }
  // The service runs in this thread. Processor time, because other tests may delay it for longer.
  const before = process.threadCpuUsage()
  const { code } = await service.calls.send('/task/subtitle_translate/quote', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const { user, system } = process.threadCpuUsage(before)
  expect([200, 6016]).toContain(code)
  expect((user + system) / 1000, 'processor time, ms').toBeLessThan(300)
})

it('a style section of two million fields and half a million styles is rewritten in linear time', () => {
  const styles = `[V4+ Styles]\nFormat: ${repeated('a,', bombBytes / 2)}\n${repeated('Style:\n', bombBytes / 2)}`
  const subtitles = readSubtitles(Buffer.from(`${styles}${head}${said}`), { format: 'ass' })
  const [entry] = subtitles.entries
  if (!entry) throw new Error('the event was not read')
  const text = rewriteAss(subtitles, { styles: [], events: new Map([[entry, [{ text: 'Bonjour' }]]]) })
  expect(text.endsWith(',,Bonjour\n')).toBe(true)
})
