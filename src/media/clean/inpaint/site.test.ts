import { expect, it } from 'vitest'
import { applyLayers } from './site.ts'

it('a later fill does not change known chroma', () => {
  const patch = { x: 0, y: 0, width: 4, height: 2, mask: new Uint8Array(8).fill(1) }
  const filling = {
    luma: new Float32Array(8).fill(90),
    blue: Float32Array.of(100, 0),
    red: Float32Array.of(140, 0),
    // The top left pixel of the first block.
    isFilled: Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0),
  }
  applyLayers(patch, filling, [
    {
      luma: new Float32Array(8).fill(50),
      weight: new Float32Array(8).fill(1),
      blue: new Float32Array(2).fill(30),
      red: new Float32Array(2).fill(40),
    },
  ])
  expect([...filling.luma]).toEqual([90, 50, 50, 50, 50, 50, 50, 50])
  expect([...filling.blue]).toEqual([100, 30])
  expect([...filling.red]).toEqual([140, 40])
})
