import { expect, test } from 'vitest'
import { Metrics } from './metrics.ts'

test('counters, gauges and histograms are written in the Prometheus text format', async () => {
  const metrics = new Metrics()
  const answered = metrics.counter<'route' | 'status'>({ name: 'answers_total', help: 'Answers.' })
  const plain = metrics.counter({ name: 'plain_total', help: 'Without labels.' })
  const seconds = metrics.histogram<'route'>({ name: 'answer_seconds', help: 'Time.' }, [0.5, 2])
  metrics.read({ name: 'room_bytes', help: 'Room.' }, async () => [{ value: 1.5e21 }])
  answered.add({ route: '/a', status: '200' })
  answered.add({ route: '/a', status: '200' })
  answered.add({ route: '/b', status: '404' }, 3)
  plain.add({})
  for (const value of [0.1, 0.5, 1, 9]) seconds.observe({ route: '/a' }, value)
  expect(await metrics.text()).toBe(`# HELP answers_total Answers.
# TYPE answers_total counter
answers_total{route="/a",status="200"} 2
answers_total{route="/b",status="404"} 3
# HELP plain_total Without labels.
# TYPE plain_total counter
plain_total 1
# HELP answer_seconds Time.
# TYPE answer_seconds histogram
answer_seconds_bucket{route="/a",le="0.5"} 2
answer_seconds_bucket{route="/a",le="2"} 3
answer_seconds_bucket{route="/a",le="+Inf"} 4
answer_seconds_sum{route="/a"} 10.6
answer_seconds_count{route="/a"} 4
# HELP room_bytes Room.
# TYPE room_bytes gauge
room_bytes 1.5e+21
`)
})

test('special characters in labels are escaped', async () => {
  const metrics = new Metrics()
  metrics.counter<'name'>({ name: 'a_total', help: 'A.' }).add({ name: 'quote " back \\ line \n end' })
  expect(await metrics.text()).toContain(String.raw`a_total{name="quote \" back \\ line \n end"} 1`)
})
