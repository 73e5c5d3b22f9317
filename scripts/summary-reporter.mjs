/** Reporter for vitest: lists each skipped test with its reason and each failed test with its error. */
// oxlint-disable-next-line import/no-default-export -- vitest loads reporters this way
export default class SummaryReporter {
  onTestRunEnd(modules) {
    print(
      'Skipped tests:',
      listTests(modules, 'skipped', ({ note }) => note ?? 'the title says why'),
    )
    print('Failed tests:', [
      ...listTests(modules, 'failed', ({ errors }) => firstLine(errors)),
      ...listBrokenModules(modules),
    ])
  }
}

function listTests(modules, state, explain) {
  return modules.flatMap((module) =>
    [...module.children.allTests(state)].map(
      (test) => `${module.relativeModuleId}: ${test.fullName} (${explain(test.result())})`,
    ),
  )
}

/** A module that cannot be loaded has no tests. */
function listBrokenModules(modules) {
  return modules
    .filter((module) => module.errors().length > 0)
    .map((module) => `${module.relativeModuleId} (${firstLine(module.errors())})`)
}

function firstLine([error] = []) {
  return String(error?.message ?? 'no message').split('\n', 1)[0]
}

function print(title, lines) {
  if (lines.length > 0) console.log(['', title, ...lines.map((line) => `  ${line}`)].join('\n'))
}
