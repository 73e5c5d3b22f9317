import { expect, test } from 'vitest'
import { fillPrompt, parsePrompt } from './prompts.ts'

const source = `---
name: greet
title: Greet
description: Greets: somebody
arguments:
  who: Name of the person
  how?: Manner
---
Greet {{who}} ({{how}}) and {{who}} again.
`

test('a prompt file is read and filled', () => {
  const prompt = parsePrompt(source, 'greet.md')
  expect(prompt.listed).toEqual({
    name: 'greet',
    title: 'Greet',
    description: 'Greets: somebody',
    arguments: [
      { name: 'who', description: 'Name of the person', required: true },
      { name: 'how', description: 'Manner', required: false },
    ],
  })
  const [message] = fillPrompt(prompt, { who: '{{how}} $& Ann' }).messages
  expect(message?.content).toEqual({
    type: 'text',
    text: 'Greet {{how}} $& Ann (not said) and {{how}} $& Ann again.',
  })
  expect(() => fillPrompt(prompt, { how: 'x' })).toThrow('who')
  expect(parsePrompt(source.replaceAll('\n', '\r\n'), 'crlf.md')).toEqual(prompt)
})

test.each([
  ['no front matter', 'Hello'],
  ['a missing title', source.replace('title: Greet\n', '')],
  ['a place without an argument', source.replace('{{how}}', '{{where}}')],
])('%s is an error that names the file', (_name, broken) => {
  expect(() => parsePrompt(broken, 'greet.md')).toThrow('greet.md')
})
