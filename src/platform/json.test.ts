import { expect, it } from 'vitest'
import { parseJson } from './json.ts'

it.each(['null', '0', '"a"', '[1, {"a": null}]'])('%s is JSON', (text) => {
  expect(JSON.stringify(parseJson(text))).toBe(text.replaceAll(' ', ''))
})

it.each(['', '{', 'undefined', "{'a': 1}", '\u0000'])('%j is none', (text) => {
  expect(parseJson(text)).toBeUndefined()
})
