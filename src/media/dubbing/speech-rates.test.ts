import { expect, it } from 'vitest'
import { measureSpeechRates } from './speech-rates.ts'

it('measures each speaker, and all for a speaker without speech', () => {
  const budget = measureSpeechRates([
    { speaker: 0, text: '你好世界', synth: 1000 },
    { speaker: 0, text: '你好世界你好', synth: 1000 },
    { speaker: 1, text: ' ten chars ', synth: 500 },
    { speaker: 1, text: 'a failed one', synth: 0 },
  ])
  expect(budget(0, 2000)).toBe(10)
  expect(budget(1, 2000)).toBe(36)
  expect(budget(2, 2500)).toBe(19)
  expect(budget(0, 0)).toBe(0)
})

it('counts code points, and estimates without any speech', () => {
  expect(measureSpeechRates([{ speaker: 0, text: '😀😀', synth: 1000 }])(0, 3000)).toBe(6)
  const estimated = measureSpeechRates([{ speaker: 0, text: 'Hello there.', synth: 0 }])
  expect(estimated(0, 1000)).toBeGreaterThanOrEqual(10)
  expect(estimated(0, 1000)).toBeLessThanOrEqual(20)
  expect(measureSpeechRates([])(0, 1000)).toBe(0)
})
