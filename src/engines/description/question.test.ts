import { expect, test } from 'vitest'
import { answerSchemaOf } from '../question-kinds.ts'
import { describeImagesKind } from './question.ts'

/** Reads an answer about one image with a mark. */
function readMark(mark: unknown) {
  const image = { id: 1, desc: '港口', tags: ['港口', '清晨', '渔船'], mark, added: [] }
  return describeImagesKind.schema.safeParse({ images: [image] }).data?.images[0]?.mark
}

test.each([
  [0, 0],
  [72.5, 72.5],
  ['80', 80],
  [' 66.6 ', 66.6],
])('the mark %j is a number', (given, mark) => {
  expect(readMark(given)).toBe(mark)
})

test.for([null, undefined, '', ' ', [], [80], true, 'good', 'NaN', 'Infinity', {}])(
  'the mark %j is none',
  (given) => {
    expect(readMark(given)).toBeUndefined()
  },
)

test('models are asked for a number', () => {
  expect(JSON.stringify(answerSchemaOf('describe_images'))).toMatch(
    /"mark":\{"description":"Quality, 0 to 100","type":"number"\}|"mark":\{"type":"number","description":"Quality, 0 to 100"\}/,
  )
})
