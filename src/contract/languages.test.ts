import { expect, test } from 'vitest'
import { MediaError } from './errors.ts'
import {
  dubbingLanguages,
  recognitionLanguages,
  requireRecognitionLanguage,
  voiceLanguages,
} from './languages.ts'

const errorOf = (language: string, unknown: 6016 | 6017 = 6016) => {
  try {
    return requireRecognitionLanguage(language, { field: 'la', unknown })
  } catch (error) {
    return error instanceof MediaError ? error.code : error
  }
}

test('seven languages are recognised word by word, fourteen can be dubbed', () => {
  expect(recognitionLanguages).toHaveLength(7)
  expect(recognitionLanguages.map((language) => errorOf(language))).toEqual(recognitionLanguages)
  expect(new Set(dubbingLanguages).size).toBe(14)
  expect(voiceLanguages.filter((language) => !dubbingLanguages.includes(language))).toEqual([])
})

test.each(['es-ES', 'pt-PT', 'ru-RU', 'vi-VN'])('%s returns 6015 everywhere', (language) => {
  expect([errorOf(language), errorOf(language, 6017)]).toEqual([6015, 6015])
})

test.each(['de-DE', 'zh-HK', 'EN-us', '', 'constructor', 'x'.repeat(5000)])(
  'any other value, such as %.20s, returns the code of the operation and the supported ones',
  (language) => {
    expect([errorOf(language), errorOf(language, 6017)]).toEqual([6016, 6017])
    expect(() => requireRecognitionLanguage(language, { field: 'la', unknown: 6016 })).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^la: .{0,80}$/) as string,
        hint: 'Use zh-CN, zh-CHS, zh-CHT, en-US, ja-JP, ko-KR or fr-FR.',
      }),
    )
  },
)
