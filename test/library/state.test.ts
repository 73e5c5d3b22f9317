import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { libraryState } from '../../src/library/library-state.ts'
import { importOnce } from './import-once.ts'
import { addWithModel, rights, writeImage, writeSound } from './library.ts'
import { colourModel } from './stand-in-model.ts'

const importSound = importOnce(({ media }) => writeSound(media('a.wav')))

test('the command that adds vectors is complete, and for the kinds of materials', async () => {
  const library = await importSound()
  const db = await library.openDb()
  const sounds = await libraryState(db)
  expect(sounds).toMatchObject({ audio: 1, words_only: true })
  expect(sounds.missing).toContain('`reelwright models pull clap onnx-runtime`')
  await writeImage(library.media('b.png'))
  await library.run('add', library.media(), ...rights)
  expect((await libraryState(db)).missing).toContain('`reelwright models pull siglip2-base onnx-runtime`')
})

test('vectors of missing materials do not count', async () => {
  const library = await importSound()
  await writeImage(library.media('b.png'))
  await addWithModel(library, colourModel())
  await rename(library.media('b.png'), join(library.root, 'b.png'))
  await addWithModel(library, colourModel())
  expect(await libraryState(await library.openDb())).toMatchObject({ image: 0, audio: 1, words_only: true })
})
