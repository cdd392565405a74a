import { randomUUID } from 'node:crypto'
import { jsonAnswer } from './answer.ts'
import type { Behaviour } from './behaviour.ts'
import { type CheckedRequest, checkRequest, type TokenMessage } from './check-message.ts'
import { errorAnswer } from './error-answer.ts'
import type { Exchange } from './exchange.ts'
import type { Project } from './project.ts'

/** `POST /v1/projects/{project}/messages:send`. */
export const answerSend = (exchange: Exchange, projectId: string, project: Project): void => {
  project.requestSeen(exchange.connection)
  const answering = countAnswers(exchange, project)
  const checked = isAuthorized(exchange) ? checkRequest(exchange.body) : unauthorized
  if (checked.kind === 'refused') {
    if (checked.token !== undefined) project.tokenSeen(checked.token)
    answering.respond(checked.answer)
  } else if (checked.validateOnly) {
    // A dry run reaches no device, and is no try to reach it: it takes no step of a script but meets the same faults.
    answering.respond(accepted(projectId))
  } else {
    project.tokenSeen(checked.message.token)
    follow(project.nextBehaviour(checked.message.token), checked.message, answering, projectId, project)
  }
}

const isAuthorized = ({ authorization }: Exchange): boolean => /^Bearer \S+$/.test(authorization ?? '')

const unauthorized: CheckedRequest = { kind: 'refused', answer: errorAnswer('UNAUTHENTICATED') }

const countAnswers = (exchange: Exchange, project: Project): Exchange => ({
  ...exchange,
  respond: (answer) => {
    project.answered(answer.status)
    exchange.respond(answer)
  },
})

const follow = (
  behaviour: Behaviour,
  message: TokenMessage,
  exchange: Exchange,
  projectId: string,
  project: Project,
): void => {
  if (takes(behaviour)) {
    project.accepted(message)
    exchange.accept()
  }
  if (behaviour.latencyMs) setTimeout(() => perform(exchange, behaviour, projectId), behaviour.latencyMs)
  else perform(exchange, behaviour, projectId)
}

const takes = (behaviour: Behaviour): boolean => {
  switch (behaviour.do) {
    case 'accept':
      return true
    case 'drop':
    case 'go-away':
    case 'silence':
      return behaviour.accepted
    default:
      return false
  }
}

const perform = (exchange: Exchange, behaviour: Behaviour, projectId: string): void => {
  switch (behaviour.do) {
    case 'accept':
      exchange.respond(accepted(projectId))
      break
    case 'refuse':
      exchange.respond(errorAnswer(behaviour.code, behaviour))
      break
    case 'answer':
      exchange.respond({ status: behaviour.status, body: behaviour.body })
      break
    case 'drop':
      exchange.drop()
      break
    case 'go-away':
      exchange.goAway({ accepted: behaviour.accepted, errorCode: behaviour.errorCode ?? 0 })
      if (behaviour.accepted) exchange.respond(accepted(projectId))
      break
    case 'refuse-stream':
      exchange.refuseStream()
      break
    case 'silence':
      break
  }
}

const accepted = (projectId: string) => jsonAnswer(200, { name: `projects/${projectId}/messages/${randomUUID()}` })
