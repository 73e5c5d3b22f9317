import { expect, test } from 'vitest'
import { fillPrompt, parsePrompt } from './prompts.ts'

const source = `---
name: greet
title: Greet
description: 'Greets: somebody'
arguments:
  who:
    description: Name of the person
  how:
    description: Manner
    optional: true
    words: [kindly, briefly]
  photo:
    description: Picture of the person
    optional: true
    files: [image]
---
Greet {{who}} ({{how}}) and {{who}} again.
`

test('parses a prompt file and fills in its placeholders', async () => {
  const prompt = await parsePrompt(source, 'greet.md')
  expect(prompt.listed).toEqual({
    name: 'greet',
    title: 'Greet',
    description: 'Greets: somebody',
    arguments: [
      { name: 'who', description: 'Name of the person', required: true },
      { name: 'how', description: 'Manner', required: false },
      { name: 'photo', description: 'Picture of the person', required: false },
    ],
  })
  expect(Object.fromEntries(prompt.values)).toEqual({
    how: { words: ['kindly', 'briefly'] },
    photo: { files: ['image'] },
  })
  const [message] = fillPrompt(prompt, { who: '{{how}} $& Ann' }).messages
  expect(message?.content).toEqual({
    type: 'text',
    text: 'Greet {{how}} $& Ann (not said) and {{how}} $& Ann again.',
  })
  expect(() => fillPrompt(prompt, { how: 'x' })).toThrow('who')
  expect(await parsePrompt(source.replaceAll('\n', '\r\n'), 'crlf.md')).toEqual(prompt)
})

test('a list in a call has an item for each of several files', async () => {
  const listing = source.replace(
    'Greet {{who}} (',
    'call {"input": [{"file": "{{photo}}"}], "to": [{"name": "{{who}}"}]} (',
  )
  const prompt = await parsePrompt(listing, 'greet.md')
  const textOf = (photo: string, who: string) => {
    const [message] = fillPrompt(prompt, { photo, who }).messages
    const text = message?.content.type === 'text' ? message.content.text : ''
    return JSON.parse(/^call (\{.*\}) \(/.exec(text)?.[1] ?? '') as unknown
  }
  expect(textOf('faces.jpg, sea "at" dusk.jpg,', 'Ann, Bob')).toEqual({
    input: [{ file: 'faces.jpg' }, { file: 'sea "at" dusk.jpg' }],
    to: [{ name: 'Ann, Bob' }],
  })
  expect(textOf('a.jpg', '{{photo}}')).toEqual({ input: [{ file: 'a.jpg' }], to: [{ name: '{{photo}}' }] })
})

test.each([
  ['no front matter', 'Hello', 'front matter'],
  ['a missing title', source.replace('title: Greet\n', ''), 'title: is required'],
  ['an empty description', source.replace("'Greets: somebody'", "''"), 'description: is required'],
  ['a placeholder without an argument', source.replace('{{how}}', '{{where}}'), '{{where}}'],
  ['an unknown kind of file', source.replace('[image]', '[hologram]'), 'arguments.photo.files.0'],
  ['an unknown field', source.replace('title: Greet', 'title: Greet\nmood: fine'), 'mood'],
  ['invalid YAML', source.replace("'Greets: somebody'", 'Greets: somebody'), 'YAML'],
  [
    'an alias',
    source.replace('title: Greet', 'title: &a Greet').replace('description: Manner', 'description: *a'),
    'YAML',
  ],
  ['a very long front matter', source.replace('Manner', 'x'.repeat(20_000)), 'longer than'],
])('rejects %s with an error that names the file', async (_name, broken, detail) => {
  const parsing = parsePrompt(broken, 'greet.md')
  await expect(parsing).rejects.toThrow(TypeError)
  await expect(parsing).rejects.toThrow('greet.md')
  await expect(parsing).rejects.toThrow(detail)
})
