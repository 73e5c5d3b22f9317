import { expect, test } from 'vitest'
import type { AskTaskQuestions, QuestionImage } from '../../src/contract/questions.ts'
import { createAgentModel } from '../../src/engines/language-model/agent-model.ts'
import { summarizeLinesKind } from '../../src/engines/translation/brief.ts'

/** A bitmap of one pixel of a colour. */
function bitmapOf(colour: number): QuestionImage {
  const bytes = Buffer.alloc(58)
  bytes.write('BM')
  bytes.writeUInt32LE(58, 2)
  bytes.writeUInt32LE(54, 10)
  bytes.writeUInt32LE(40, 14)
  bytes.writeInt32LE(1, 18)
  bytes.writeInt32LE(1, 22)
  bytes.writeUInt16LE(1, 26)
  bytes.writeUInt16LE(24, 28)
  bytes.writeUIntBE(colour, 54, 3)
  return { type: 'image/png', bytes }
}

test('images are converted once for all attempts that ask about them', async () => {
  const asked: (Uint8Array | undefined)[] = []
  const askTask: AskTaskQuestions = async (questions) => {
    asked.push(...questions.map(({ images }) => images[0]?.bytes))
    return questions.map(() => ({ state: 'answered', answer: { summary: 'One', terms: [] } }))
  }
  for (const colour of [0xff_00_00, 0xff_00_00, 0x00_00_ff]) {
    const model = createAgentModel(askTask)
    await model.ask({
      ...{ kind: summarizeLinesKind, instructions: 'Sum up.', input: { lines: ['One'] }, maxTokens: 100 },
      ...{ images: [bitmapOf(colour)], signal: new AbortController().signal },
    })
  }
  const [first, second, third] = asked
  expect(Buffer.from(first ?? []).toString('hex', 0, 3)).toBe('ffd8ff')
  expect(second).toBe(first)
  expect(third).not.toEqual(first)
})
