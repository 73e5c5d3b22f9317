import { expect, it } from 'vitest'
import { MediaError } from '../../src/contract/errors.ts'
import { Degradations } from './degradations.ts'

const create = () => new Degradations(new AbortController().signal)

it('reasons name the clips they concern, unless they concern all', () => {
  const degradations = create()
  for (const clip of [1, 2, 3]) degradations.add('camera', clip, 'no faces can be found')
  degradations.add('subtitle', 3, 'not translated')
  degradations.add('subtitle', 1, 'it cannot be drawn')
  degradations.add('subtitle', 1, 'it cannot be drawn')
  expect(degradations.errors(3)).toEqual({
    camera: 'no faces can be found',
    subtitle: 'clip3: not translated; clip1: it cannot be drawn',
  })
  expect(degradations.items()).toEqual({
    clip1: ['camera', 'subtitle'],
    clip2: ['camera'],
    clip3: ['camera', 'subtitle'],
  })
})

it('without failures there are none', () => {
  expect(create().errors(2)).toEqual({})
  expect(create().items()).toEqual({})
})

it('a failed step is recorded, but an abort and a bug are thrown', async () => {
  const degradations = create()
  const failing = () => Promise.reject(new MediaError(6401, 'the pack is missing'))
  expect(await degradations.attempt('camera', [1, 2], failing)).toBeUndefined()
  expect(await degradations.attempt('seam', [1], () => Promise.resolve(5))).toBe(5)
  expect(degradations.errors(2)).toEqual({ camera: 'the pack is missing' })
  const bug = new TypeError('a bug')
  await expect(degradations.attempt('seam', [1], () => Promise.reject(bug))).rejects.toBe(bug)
  const controller = new AbortController()
  controller.abort(new Error('stopped'))
  await expect(new Degradations(controller.signal).attempt('camera', [1], failing)).rejects.toThrow('stopped')
})
