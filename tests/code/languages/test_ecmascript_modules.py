"""What modules and namespaces of TypeScript hand on."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_a_namespace_exports_what_its_file_imports(project: Project) -> None:
    written = project(
        """
        === account.ts
        export interface Account { id: string } // <def Account>
        export namespace Account {
          export interface Limits { most: number } // <def Limits>
        }
        === client.ts
        import { Account } from './account' // <Account>
        class Session {}
        interface Limit { most: number } // <def Limit>
        export class Client {}
        export declare namespace Client {
          export { Account } // <Account>
          export { type Limit as Limit } // <Limit>
          export { Session } // <Session>
          export class Session { user: string } // <def Session>
        }
        === use.ts
        import { Client as Client_ } from './client'
        let own: Client_.Account // <Account>
        let limits: Client_.Account.Limits // <Account> <Limits>
        let session: Client_.Session // <Session>
        let limit: Client_.Limit // <Limit>
        """
    )
    written.check("Account")
    written.check("Limits")
    written.check("Session")
    written.check("Limit")


def test_a_namespace_in_front_of_a_type_where_a_variable_has_its_name(project: Project) -> None:
    written = project(
        """
        === client.d.ts
        declare class Failure { answer?: client.Answer } // <Answer>
        declare namespace client {
          interface Answer { data: string } // <def Answer>
          interface Static { // <def Static>
            send(): Answer // <Answer>
            failure: Failure // <def failure>
          }
        }
        declare const client: client.Static // <Static>
        export = client
        === use.ts
        import client = require('./client')
        const answer: client.Answer = client.failure.answer // <Answer> <failure>
        """
    )
    written.check("Answer")
    written.check("Static")
    written.check("failure")
