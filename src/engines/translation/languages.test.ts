import { expect, it } from 'vitest'
import { dubbingLanguages } from '../../contract/languages.ts'
import { isSameLanguage, isWrittenIn, languageName } from './languages.ts'

it.each([
  ['zh-CHT', 'Chinese in traditional characters'],
  ['es-ES', 'Spanish of Spain'],
  ['es-MX', 'Spanish (Mexico)'],
  ['pt-BR', 'Portuguese (Brazil)'],
  ['fil-PH', 'Filipino (Philippines)'],
  ['ar-SA', 'Arabic (Saudi Arabia)'],
  ['uk-UA', 'Ukrainian (Ukraine)'],
])('prompts name %s %s', (language, name) => {
  expect(languageName(language)).toBe(name)
})

it('prompts name all languages of recordings', () => {
  for (const language of dubbingLanguages) expect(languageName(language)).not.toContain(language)
})

it.each([
  ['zh-CN', 'zh-CHT', true],
  ['zh-CN', 'zh-HK', false],
  ['es-MX', 'es-ES', true],
  ['fil-PH', 'fi-FI', false],
])('%s and %s are one language: %s', (one, other, isSame) => {
  expect(isSameLanguage(one, other)).toBe(isSame)
})

it.each([
  ['zh-HK', '唔該'],
  ['th-TH', 'ขอบคุณ'],
  ['ar-SA', 'شكرا'],
  ['hi-IN', 'धन्यवाद'],
  ['el-GR', 'Ευχαριστώ'],
  ['uk-UA', 'Дякую'],
  ['ms-MY', 'Terima kasih'],
  ['ja-JP', 'ありがとう'],
  ['ko-KR', '감사합니다'],
  ['qq-QQ', 'Thanks'],
])('%s is written in the letters of %s alone', (language, text) => {
  expect(isWrittenIn(language, text)).toBe(true)
  const others = ['唔', 'ข', 'ش', 'ध', 'Ε', 'Д', 'T', 'あ', '감'].filter(
    (letter) => !isWrittenIn(language, letter),
  )
  expect(others.length).toBeGreaterThanOrEqual(7)
})
