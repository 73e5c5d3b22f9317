import { expect, test } from 'vitest'
import { CleanupStack } from './cleanup-stack.ts'

test('closes resources once, in reverse order, one after another', async () => {
  const closed: number[] = []
  const stack = new CleanupStack()
  for (const number of [1, 2]) {
    stack.defer(async () => {
      await new Promise(setImmediate)
      closed.push(number)
    })
  }
  const resource = { [Symbol.asyncDispose]: async () => void closed.push(3) }
  expect(stack.use(resource)).toBe(resource)
  await stack[Symbol.asyncDispose]()
  await stack[Symbol.asyncDispose]()
  expect(closed).toEqual([3, 2, 1])
})

test('closes the remaining resources after a failure, and throws it', async () => {
  const closed: string[] = []
  const stack = new CleanupStack()
  stack.defer(() => closed.push('first'))
  stack.defer(() => Promise.reject(new Error('second')))
  await expect(stack[Symbol.asyncDispose]()).rejects.toThrow('second')
  expect(closed).toEqual(['first'])
  for (const name of ['one', 'other']) stack.defer(() => Promise.reject(new Error(name)))
  await expect(stack[Symbol.asyncDispose]()).rejects.toMatchObject({
    errors: [{ message: 'other' }, { message: 'one' }],
  })
})

test('moved resources are closed only by the other stack', async () => {
  const closed: string[] = []
  const stack = new CleanupStack()
  stack.defer(() => closed.push('resource'))
  const moved = stack.move()
  await stack[Symbol.asyncDispose]()
  expect(closed).toEqual([])
  await moved[Symbol.asyncDispose]()
  expect(closed).toEqual(['resource'])
})
