"""A bot for Menagerie, with nothing but requests: it plays all its matches on one connection.

    python examples/bot.py http://127.0.0.1:8000 Ada --against jungle-1

It plays Jungle against a bot of the service, or else takes an open seat of the lobby, or opens
a match and waits. Put something better into `choose`.
"""

import argparse
import json
import random
import sys
import time

import requests


class Bot:
    def __init__(self, url, name, against=None):
        self.api, self.session, self.against = f"{url}/v1", requests.Session(), against
        token = self.call("POST", "/players", {"name": name}).json()["token"]
        self.session.headers["Authorization"] = f"Bearer {token}"

    def call(self, method, path, body=None):
        """A request; a server that is busy or away for a moment is asked again."""
        while True:
            try:
                response = self.session.request(method, self.api + path, json=body, timeout=30)
                if response.status_code not in (429, 503):
                    return response
                time.sleep(int(response.headers.get("Retry-After", 1)))
            except requests.ConnectionError:
                time.sleep(1)

    def seek(self):
        """Begin a match against the bot, or sit down in the lobby, or open a match."""
        if self.against:
            seats = {"white": {"kind": "me"}, "black": {"kind": "bot", "bot": self.against}}
            self.call("POST", "/matches", {"game": "jungle", "seats": seats}).raise_for_status()
            return
        for match in self.call("GET", "/matches?status=open&game=jungle").json()["items"]:
            if self.call("POST", f"/matches/{match['id']}/seats/any").status_code == 201:
                return
        match = self.call("POST", "/matches", {"game": "jungle"}).json()
        print("waiting for somebody to take a seat of", match["id"], file=sys.stderr)

    def events(self):
        """What happens in all matches, each event once: a stream that ends is resumed."""
        headers = {"Accept": "application/x-ndjson"}
        while True:
            try:
                stream = self.session.get(
                    f"{self.api}/me/events", headers=headers, stream=True, timeout=30
                )
                if stream.status_code == 410:  # away for more than a day: begin anew
                    headers.pop("Last-Event-ID", None)
                for line in stream.iter_lines(chunk_size=None) if stream.ok else ():
                    event = json.loads(line)
                    if "id" in event:
                        headers["Last-Event-ID"] = event["id"]
                        yield event
            except requests.RequestException:
                pass
            time.sleep(0.5)

    def move(self, match_id):
        """Make a move, if it is still this bot's turn."""
        answer = self.call("GET", f"/matches/{match_id}/legal-moves")
        if answer.ok:
            turn = answer.json()
            body = {"move": self.choose(turn["details"]), "ply": turn["ply"]}
            self.call("POST", f"/matches/{match_id}/moves", body)

    def choose(self, moves):
        """Capture, else go forward, else anything."""

        def worth(move):
            up = int(move["to"][1:]) - int(move["from"][1:])
            return bool(move["captured"]), up if move["piece"].isupper() else -up, random.random()

        return max(moves, key=worth)["move"]

    def play(self, matches):
        """Play so many matches to their end."""
        self.seek()
        for event in self.events():
            shown = event["data"]["matches"] if event["type"] == "snapshot" else [event]
            for match in shown:
                if match["viewer"] in match["to_move"]:
                    self.move(match.get("match") or match["id"])
            if event["type"] in ("match.finished", "match.aborted"):
                print(event["match"], event["viewer"], event["result"], flush=True)
                matches -= 1
                if not matches:
                    return
                self.seek()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("url")
    parser.add_argument("name")
    parser.add_argument("--against", metavar="BOT", help="such as jungle-1; see /v1/bots")
    parser.add_argument("--matches", type=int, default=1)
    asked = parser.parse_args()
    Bot(asked.url, asked.name, asked.against).play(asked.matches)
