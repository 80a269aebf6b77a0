// A game of tic-tac-toe through the Go client of openapi-generator.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	kinarow "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func main() {
	settings := kinarow.NewConfiguration()
	settings.Servers[0].URL = os.Args[1]
	service, all := kinarow.NewAPIClient(settings).PositionsAPI, context.Background()
	board := []string{"...", "...", "..."}
	for {
		answer, _, err := service.Move(all).MoveRequest(kinarow.MoveRequest{Board: board}).Execute()
		if err != nil {
			panic(err)
		}
		move := answer.Move.Get()
		if move == nil {
			fmt.Println(answer.State, strings.Join(board, "/"))
			break
		}
		fmt.Println(move.Tile)
		board = answer.Board
	}
	requests := []kinarow.MoveRequest{{Board: []string{"XX"}}}
	batch, _, err := service.Moves(all).MovesRequest(kinarow.MovesRequest{Requests: requests}).Execute()
	if err != nil {
		panic(err)
	}
	place := batch.Answers[0]
	fmt.Println(place.Answer.Get() == nil, place.Problem.Get().Status)
}
