import { describe, expect, it } from 'vitest'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { hasSpeechFiles } from '../engines/speech/recordings.ts'
import { canSpeak } from '../recordings/speak.ts'
import { sampleCases } from '../soak-size.ts'
import { cutRecording } from './run-cut.ts'

const unspoken = 'Nobody has ever said anything about purple elephants.'
const rate = { num: 25, den: 1 }

describe.skipIf(!canSpeak || !hasSpeechFiles)('the report of a cut', async () => {
  const folder = await scratchFolder()

  const cases = [
    { copies: 8, isLow: true },
    { copies: 1, isLow: false },
  ]
  it.each(sampleCases(cases, 1))(
    'names what is missing in the footage: $copies passages',
    async ({ copies, isLow }) => {
      const missing = Array.from(
        { length: copies },
        (_, index) => `${unspoken.slice(0, -1)} number ${index + 21}.`,
      )
      const { report, script } = await cutRecording(folder, {
        ...{ language: 'en-US', seed: 31, sentences: 4, mistakes: false, rate, errors: {} },
        request: ({ text }) => ({
          ...{ la: 'en-US', script: `${text} ${missing.join(' ')}`, source_path: '/footage/talk.mp4' },
        }),
      })
      const words = (text: string) => text.split(' ').length
      const share = words(script.text) / (words(script.text) + words(missing.join(' ')))
      expect(report.coverage).toBeCloseTo(share, 1)
      expect(report.low_coverage).toBe(isLow ? true : undefined)
      expect(report.uncovered_script.join(' ')).toContain('purple elephants')
      expect(report.dropped).toEqual([])
      // The footage is too short for a profile of its pauses.
      expect(report).toMatchObject({ adaptive_rhythm: false, rhythm_preset: null })
      expect(report).not.toHaveProperty('pause_profile')
    },
  )
})
